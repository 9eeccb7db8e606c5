#include "archive/batch.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/limits.h"
#include "archive/observation_columns.h"

namespace laggard::archive {

namespace {

std::size_t rows(const SampleTable& table) { return table.times().size(); }
template <typename Table>
std::size_t rows(const Table& table) {
  return table.size();
}

std::size_t values(const SampleTable& table) { return table.cells(); }
std::size_t values(const EventTable& table) {
  std::size_t sum = table.size() * 4 + table.losses().size() * 4;
  for (const AttributeColumn& column : table.attributes()) sum += 2 * column.values.size();
  return sum;
}
std::size_t values(const ProfileTable& table) {
  return table.size() * 4 + table.entries() * 2 + table.losses().size() * 4;
}

std::size_t bytes(const SampleTable& table) {
  return table.cells() * 9 + table.times().size() * 8 + table.devices().size() * 32;
}
template <typename Table>
std::size_t bytes(const Table& table) {
  return values(table) * 8 + table.words().size() * 12 + table.words().bytes();
}

TimeSpan extent(const SampleTable& table) {
  const auto [first, last] = std::ranges::minmax(table.times());
  return {first, last};
}
template <typename Table>
TimeSpan extent(const Table& table) {
  return table.extent();
}

FileIdentity identity(const SampleTable& table) {
  return {.host = table.host(), .boot = table.boot(), .stream = Stream::kMetrics};
}
template <typename Table>
FileIdentity identity(const Table& table) {
  return {.host = table.host(), .boot = table.boot(), .stream = kStreamOf<Table>};
}

/// How many values a row takes in a block, for bounding blocks before they are made.
class RowValues {
 public:
  explicit RowValues(const EventTable& table) : values_(table.size(), 4) {
    for (const AttributeColumn& column : table.attributes()) {
      for (const std::uint32_t e : column.events) values_[e] += 2;
    }
  }
  explicit RowValues(const ProfileTable& table) : values_(table.size(), 4) {
    for (std::size_t p = 0; p < table.size(); ++p) values_[p] += 2 * table.seen(p).size();
  }
  [[nodiscard]] std::size_t operator[](std::size_t row) const { return values_[row]; }
  [[nodiscard]] std::size_t most() const { return values_.empty() ? 0 : std::ranges::max(values_); }

 private:
  std::vector<std::size_t> values_;
};

WallTime time_of_row(const EventTable& table, std::size_t row) { return table.times()[row]; }
WallTime time_of_row(const ProfileTable& table, std::size_t row) { return table.periods()[row].start; }

template <typename Table>
Table like(const Table& table) {
  Table other(table.host(), table.kind());
  other.set_boot(table.boot());
  return other;
}

std::vector<Batch> cut_by_day(SampleTable table) {
  std::vector<Batch> parts;
  const std::size_t n = table.times().size();
  const std::size_t width = std::max<std::size_t>(1, table.devices().size() * table.counters().size());
  if (n == 0 || table.cells() == 0) return parts;
  const std::size_t most = std::min(kBlockSamples, std::max<std::size_t>(1, kMaxBlockCells / width));
  for (std::size_t begin = 0; begin < n;) {
    const std::int64_t day = recording_day(table.times()[begin]);
    std::size_t end = begin + 1;
    while (end < n && end - begin < most && recording_day(table.times()[end]) == day) ++end;
    const bool whole = begin == 0 && end == n;
    if (whole) {
      parts.emplace_back(std::move(table));
      return parts;
    }
    parts.emplace_back(slice(table, begin, end));
    begin = end;
  }
  return parts;
}

/// Whether all of the table fits into one block of one day.
template <typename Table>
bool is_one_part(const Table& table) {
  if (table.size() > kBlockRows || values(table) > kMaxBlockCells) return false;
  const TimeSpan span = table.extent();
  return recording_day(span.from) == recording_day(span.to);
}

/// Cuts the rows of one day into parts that each fit into a block.
template <typename Table>
void cut_rows(const Table& table, std::span<const std::uint32_t> rows_of_day, std::vector<Batch>& parts) {
  const RowValues row_values{table};
  for (std::size_t begin = 0; begin < rows_of_day.size();) {
    std::size_t end = begin;
    std::size_t sum = 0;
    while (end < rows_of_day.size() && end - begin < kBlockRows && sum < kMaxBlockCells) {
      sum += row_values[rows_of_day[end++]];
    }
    Table part = like(table);
    part.append_from(table, rows_of_day.subspan(begin, end - begin));
    parts.emplace_back(std::move(part));
    begin = end;
  }
}

template <typename Table>
std::vector<Batch> cut_by_day(Table table) {
  std::vector<Batch> parts;
  if (table.empty()) return parts;
  if (is_one_part(table)) {
    parts.emplace_back(std::move(table));
    return parts;
  }
  struct Day {
    std::vector<std::uint32_t> rows;
    std::optional<Table> losses;
  };
  std::map<std::int64_t, Day> days;
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    days[recording_day(time_of_row(table, row))].rows.push_back(row);
  }
  for (const Loss& loss : table.losses()) {
    std::optional<Table>& losses = days[recording_day(loss.from)].losses;
    if (!losses) losses = like(table);
    losses->add_loss(loss);
  }
  for (auto& [day, content] : days) {
    if (content.losses) parts.emplace_back(std::move(*content.losses));
    cut_rows(table, content.rows, parts);
  }
  if constexpr (std::is_same_v<Table, EventTable>) {
    std::get<EventTable>(parts.back()).set_bookmark(table.bookmark());
  }
  return parts;
}

template <typename Table>
Status check_observations(const Table& table) {
  if (Status host = check_host(table.host()); !host) return host;
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("{} of host {}: {}", folder_of(kStreamOf<Table>), table.host(), what));
  };
  if (table.kind().empty()) return refuse("they are of no kind");
  if (table.kind().size() > kMaxNameBytes || table.boot().size() > kMaxNameBytes) {
    return refuse("a name is longer than 4096 bytes");
  }
  if (table.losses().size() > kMaxBlockCells / 4) return refuse("too many losses at once");
  // Events have kMostAttributes at most.
  if constexpr (std::is_same_v<Table, ProfileTable>) {
    if (RowValues{table}.most() > kMaxSampleCells) return refuse("too many counts in one period");
  }
  return {};
}

Status check(const SampleTable& table) { return check_table(table); }
template <typename Table>
Status check(const Table& table) {
  return check_observations(table);
}

}  // namespace

FileIdentity identity_of(const Batch& batch) {
  return std::visit([](const auto& table) { return identity(table); }, batch);
}

std::string kind_of(const Batch& batch) {
  if (const auto* samples = std::get_if<SampleTable>(&batch)) return std::string(to_name(samples->kind()));
  if (const auto* events = std::get_if<EventTable>(&batch)) return events->kind();
  return std::get<ProfileTable>(batch).kind();
}

std::size_t rows_of(const Batch& batch) {
  return std::visit([](const auto& table) { return rows(table); }, batch);
}

std::size_t values_of(const Batch& batch) {
  return std::visit([](const auto& table) { return values(table); }, batch);
}

std::size_t bytes_of(const Batch& batch) {
  return std::visit([](const auto& table) { return bytes(table); }, batch);
}

TimeSpan extent_of(const Batch& batch) {
  return std::visit([](const auto& table) { return extent(table); }, batch);
}

WallTime start_of(const Batch& batch) {
  const auto* samples = std::get_if<SampleTable>(&batch);
  return samples != nullptr ? samples->times().front() : extent_of(batch).from;
}

const Dictionary* words_of(const Batch& batch) {
  if (const auto* events = std::get_if<EventTable>(&batch)) return &events->words();
  if (const auto* profiles = std::get_if<ProfileTable>(&batch)) return &profiles->words();
  return nullptr;
}

std::span<const Loss> losses_of(const Batch& batch) {
  if (const auto* events = std::get_if<EventTable>(&batch)) return events->losses();
  if (const auto* profiles = std::get_if<ProfileTable>(&batch)) return profiles->losses();
  return {};
}

std::size_t block_rows(Stream stream) { return stream == Stream::kMetrics ? kBlockSamples : kBlockRows; }

Status check_batch(const Batch& batch) {
  return std::visit([](const auto& table) { return check(table); }, batch);
}

std::vector<Batch> by_day(Batch batch) {
  return std::visit([](auto& table) { return cut_by_day(std::move(table)); }, batch);
}

bool Joiner::has_room_for(const SampleTable& table) const {
  const std::size_t rows = rows_ + table.times().size();
  if (rows > kBlockSamples) return false;
  // An upper bound: at worst the table shares no counter or device with those before.
  std::size_t devices = all_.devices().size();
  std::size_t counters = all_.counters().size();
  const SampleTable& last = samples_.back();
  if (table.devices() != last.devices() || table.counters() != last.counters()) {
    devices += table.devices().size();
    counters += table.counters().size();
  }
  return counters <= kMaxCounters && devices * counters * rows <= kMaxBlockCells;
}

bool Joiner::fits(const Batch& batch) const {
  if (empty()) return true;
  if (const auto* samples = std::get_if<SampleTable>(&batch)) return has_room_for(*samples);
  if (rows_ + rows_of(batch) > kBlockRows || values_ + values_of(batch) > kMaxBlockCells) return false;
  if (const auto* events = std::get_if<EventTable>(&batch)) {
    return std::get<EventTable>(*joined_).has_room_for(*events);
  }
  return std::get<ProfileTable>(*joined_).has_room_for(std::get<ProfileTable>(batch));
}

void Joiner::add(const Batch& batch) {
  rows_ += std::max<std::size_t>(1, rows_of(batch));
  values_ += values_of(batch);
  if (const auto* samples = std::get_if<SampleTable>(&batch)) {
    const bool same = !samples_.empty() && samples->devices() == samples_.back().devices() &&
                      samples->counters() == samples_.back().counters();
    if (!same) {
      all_.add_devices(samples->devices());
      all_.add_counters(samples->counters());
    }
    samples_.push_back(*samples);
    return;
  }
  if (!joined_) {
    joined_ = batch;
    return;
  }
  const auto append = [&]<typename Table>(Table& to, const Table& from) {
    std::vector<std::uint32_t> every(from.size());
    for (std::uint32_t row = 0; row < every.size(); ++row) every[row] = row;
    to.append_from(from, every);
    for (const Loss& loss : from.losses()) to.add_loss(loss);
  };
  if (auto* events = std::get_if<EventTable>(&*joined_)) {
    append(*events, std::get<EventTable>(batch));
  } else {
    append(std::get<ProfileTable>(*joined_), std::get<ProfileTable>(batch));
  }
}

Batch Joiner::take() {
  LAGGARD_CHECK(!empty());
  Joiner done = std::exchange(*this, Joiner{});
  if (done.joined_) return std::move(*done.joined_);
  if (done.samples_.size() == 1) return std::move(done.samples_.front());
  return concatenate(done.samples_);
}

}  // namespace laggard::archive
