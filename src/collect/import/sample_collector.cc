#include "collect/import/sample_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;

/// Numbers the entries that are in use in their order; the others stay kNowhere. \return how many are in use.
std::uint32_t number_used(std::vector<std::uint32_t>& index) {
  std::uint32_t next = 0;
  for (std::uint32_t& at : index) {
    if (at != kNowhere) at = next++;
  }
  return next;
}

}  // namespace

StreamId SampleCollector::stream(std::string_view host, DeviceKind kind, std::string_view boot) {
  const auto [found, added] = stream_index_.try_emplace(
      {std::string(host), kind, std::string(boot)}, StreamId{static_cast<std::uint32_t>(streams_.size())});
  if (added) {
    Stream& stream = streams_.emplace_back();
    stream.host = host;
    stream.kind = kind;
    stream.boot = boot;
  }
  return found->second;
}

ColumnId SampleCollector::column(StreamId id, std::string_view device, const TableCounter& counter) {
  Stream& stream = streams_[id.index()];
  auto at = stream.device_index.find(device);
  if (at == stream.device_index.end()) {
    at = stream.device_index.emplace(std::string(device), static_cast<std::uint32_t>(stream.devices.size()))
             .first;
    stream.devices.emplace_back(device);
  }
  const auto [known, first] = stream.counter_index.try_emplace(
      {counter.name, counter.form}, static_cast<std::uint32_t>(stream.counters.size()));
  if (first) stream.counters.push_back(counter);
  const std::uint32_t c = known->second;
  const auto [found, added] = stream.column_index.try_emplace(
      {at->second, c}, ColumnId{static_cast<std::uint32_t>(stream.columns.size())});
  if (added) stream.columns.push_back({at->second, c});
  return found->second;
}

std::uint32_t SampleCollector::row_at(Stream& stream, WallTime time) {
  // Almost every value has the time of the one before it, or belongs to the next row when a source gives one
  // series after the other.
  const std::uint32_t last = stream.last_row;
  if (last < stream.times.size() && stream.times[last] == time) return last;
  if (last + 1 < stream.times.size() && stream.times[last + 1] == time) return stream.last_row = last + 1;
  const auto [found, added] =
      stream.row_of_time.try_emplace(to_unix_ns(time), static_cast<std::uint32_t>(stream.times.size()));
  if (added) stream.times.push_back(time);
  return stream.last_row = found->second;
}

void SampleCollector::add(StreamId id, ColumnId column, WallTime time, std::uint64_t bits) {
  Stream& stream = streams_[id.index()];
  stream.cells.push_back({row_at(stream, time), column.value, bits});
  ++cells_;
  ++values_;
}

Status SampleCollector::flush(bool keep_newest) {
  for (Stream& stream : streams_) {
    if (stream.cells.empty()) continue;
    if (Status status = flush_stream(stream, keep_newest); !status) return status;
  }
  cells_ = 0;
  for (const Stream& stream : streams_) cells_ += stream.cells.size();
  // With so many columns that one time of each fills the memory, even those have to go.
  if (keep_newest && full()) return flush(false);
  return {};
}

Status SampleCollector::flush_stream(Stream& stream, bool keep_newest) {
  std::vector<std::uint32_t> order(stream.times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return stream.times[a] < stream.times[b]; });
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;

  const std::size_t leaving = order.size() - (keep_newest ? 1 : 0);
  const std::size_t chunks = (leaving + limits_.rows_per_table - 1) / limits_.rows_per_table;
  std::vector<std::vector<Cell>> by_chunk(chunks);
  std::vector<Cell> kept;
  for (const Cell& cell : stream.cells) {
    const std::uint32_t row = rank[cell.row];
    if (row >= leaving) {
      kept.push_back({0, cell.column, cell.bits});
      continue;
    }
    const std::size_t chunk = row / limits_.rows_per_table;
    const auto within = static_cast<std::uint32_t>(row - chunk * limits_.rows_per_table);
    by_chunk[chunk].push_back({within, cell.column, cell.bits});
  }
  const WallTime newest = stream.times[order.back()];
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const std::size_t begin = chunk * limits_.rows_per_table;
    const std::size_t end = std::min(begin + limits_.rows_per_table, leaving);
    std::vector<WallTime> times;
    for (std::size_t i = begin; i < end; ++i) times.push_back(stream.times[order[i]]);
    if (Status status = append_table(stream, times, by_chunk[chunk]); !status) return status;
    by_chunk[chunk] = {};
  }
  stream.cells = std::move(kept);
  stream.times.clear();
  stream.row_of_time.clear();
  stream.last_row = 0;
  if (keep_newest) {
    stream.times.push_back(newest);
    stream.row_of_time.emplace(to_unix_ns(newest), 0U);
  }
  return {};
}

Status SampleCollector::append_table(const Stream& stream, const std::vector<WallTime>& times,
                                     const std::vector<Cell>& cells) {
  if (cells.empty()) return {};
  std::vector<std::uint32_t> device_at(stream.devices.size(), kNowhere);
  std::vector<std::uint32_t> counter_at(stream.counters.size(), kNowhere);
  for (const Cell& cell : cells) {
    device_at[stream.columns[cell.column].device] = 0;
    counter_at[stream.columns[cell.column].counter] = 0;
  }
  const std::size_t area = std::size_t{number_used(device_at)} * number_used(counter_at);
  // Connections come and go: a table that would be mostly holes is cut in half, and each half of the time has
  // about half of the devices.
  if (area * times.size() > limits_.table_cells && times.size() > 1) {
    const auto half = static_cast<std::uint32_t>(times.size() / 2);
    std::vector<Cell> early;
    std::vector<Cell> late;
    for (const Cell& cell : cells) {
      if (cell.row < half) {
        early.push_back(cell);
      } else {
        late.push_back({cell.row - half, cell.column, cell.bits});
      }
    }
    const auto middle = times.begin() + half;
    if (Status status = append_table(stream, {times.begin(), middle}, early); !status) return status;
    return append_table(stream, {middle, times.end()}, late);
  }
  std::vector<std::string> devices;
  for (std::size_t d = 0; d < device_at.size(); ++d) {
    if (device_at[d] != kNowhere) devices.push_back(stream.devices[d]);
  }
  std::vector<TableCounter> counters;
  for (std::size_t c = 0; c < counter_at.size(); ++c) {
    if (counter_at[c] != kNowhere) counters.push_back(stream.counters[c]);
  }
  SampleTable table(stream.host, stream.kind, std::move(counters), std::move(devices), times);
  table.set_boot(stream.boot);
  for (const Cell& cell : cells) {
    const Column& column = stream.columns[cell.column];
    table.set(counter_at[column.counter], device_at[column.device], cell.row, cell.bits);
  }
  return sink_.append(table);
}

}  // namespace laggard::collect
