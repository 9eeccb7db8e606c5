#include "cmd/read_recording.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/progress.h"

namespace laggard::cmd {

namespace {

TimeSpan cut(TimeSpan span, const ReadRequest& request) {
  if (request.from) span.from = std::max(span.from, *request.from);
  if (request.to) span.to = std::min(span.to, *request.to);
  return span;
}

/// When a host was recorded, gaps left out. `gaps` must be in order of time.
void add_stretches(TimeSpan host, const std::vector<TimeSpan>& gaps, std::vector<TimeSpan>& stretches) {
  for (const TimeSpan& gap : gaps) {
    if (gap.from > host.from) stretches.push_back({host.from, std::min(gap.from, host.to)});
    host.from = std::max(host.from, gap.to);
  }
  if (host.to > host.from) stretches.push_back(host);
}

bool earlier(const TimeSpan& a, const TimeSpan& b) { return a.from < b.from; }

}  // namespace

TimeSpan recorded_span(const Inventory& inventory, const ReadRequest& request) {
  TimeSpan span{WallTime::max(), WallTime::min()};
  for (const DeviceInfo& device : inventory.devices) {
    span.from = std::min(span.from, device.first);
    span.to = std::max(span.to, device.last);
  }
  return cut(span, request);
}

Duration recorded_time(const Inventory& inventory, const ReadRequest& request) {
  std::map<std::string, TimeSpan> hosts;
  for (const DeviceInfo& device : inventory.devices) {
    TimeSpan& host = hosts.try_emplace(device.host, TimeSpan{device.first, device.last}).first->second;
    host.from = std::min(host.from, device.first);
    host.to = std::max(host.to, device.last);
  }
  std::map<std::string, std::vector<TimeSpan>> gaps;
  for (const Gap& gap : inventory.gaps) gaps[gap.host].push_back({gap.from, gap.to});
  std::vector<TimeSpan> stretches;
  for (const auto& [name, host] : hosts) {
    std::vector<TimeSpan>& missing = gaps[name];
    std::sort(missing.begin(), missing.end(), earlier);
    add_stretches(host, missing, stretches);
  }
  std::sort(stretches.begin(), stretches.end(), earlier);
  Duration sum{};
  WallTime counted = WallTime::min();
  for (const TimeSpan& whole : stretches) {
    const TimeSpan stretch = cut(whole, request);
    const WallTime from = std::max(stretch.from, counted);
    if (stretch.to <= from) continue;
    sum += stretch.to - from;
    counted = stretch.to;
  }
  return sum;
}

std::vector<ClockStep> steps_back_within(const Inventory& inventory, const ReadRequest& request) {
  std::vector<ClockStep> within;
  for (const ClockStep& step : inventory.clock_steps) {
    const TimeSpan twice = cut({step.after, step.before}, request);
    if (twice.from < twice.to) within.push_back(step);
  }
  return within;
}

std::vector<Gap> gaps_within(const Inventory& inventory, const ReadRequest& request) {
  std::vector<Gap> within;
  for (Gap gap : inventory.gaps) {
    const TimeSpan part = cut({gap.from, gap.to}, request);
    if (part.from >= part.to) continue;
    gap.from = part.from;
    gap.to = part.to;
    within.push_back(std::move(gap));
  }
  return within;
}

namespace {

/// Fetches the next tables; some to unpack at the same time, and no more than fit into memory beside each
/// other.
Result<std::vector<std::unique_ptr<PackedTable>>> fetch_some(TableReader& reader) {
  constexpr std::size_t kMostTables = 32;
  constexpr std::size_t kEnoughCells = std::size_t{1} << 22;
  std::vector<std::unique_ptr<PackedTable>> fetched;
  std::size_t cells = 0;
  while (fetched.size() < kMostTables && cells < kEnoughCells) {
    auto packed = reader.next_packed();
    if (!packed) return forward(packed);
    if (*packed == nullptr) break;
    cells += (*packed)->cells();
    fetched.push_back(std::move(*packed));
  }
  return fetched;
}

/// The next tables, unpacked side by side; those without samples are left out. Nothing at the end.
Result<std::optional<std::vector<SampleTable>>> next_tables(TableReader& reader, Workers* workers) {
  auto packed = fetch_some(reader);
  if (!packed) return forward(packed);
  if (packed->empty()) return std::nullopt;
  run_all(workers, packed->size(), [&](std::size_t i) { (*packed)[i]->unpack(); });
  std::vector<SampleTable> tables;
  for (const auto& one : *packed) {
    auto table = one->take();
    if (!table) return forward(table);
    if (table->has_value()) tables.push_back(std::move(**table));
  }
  return tables;
}

}  // namespace

Status read_tables(const TableReading& reading, std::string_view doing,
                   const std::function<void(std::span<const SampleTable>)>& consume) {
  auto reader = reading.source.read(reading.request);
  if (!reader) return forward(reader);
  const bool any = reading.span.from < reading.span.to;
  const double whole = any ? to_seconds(reading.span.to - reading.span.from) : 1;
  SystemClock clock;
  Progress progress(doing, clock);
  while (!reading.enough || !reading.enough()) {
    auto tables = next_tables(**reader, reading.workers);
    if (!tables) return forward(tables);
    if (!*tables) return {};
    if ((*tables)->empty()) continue;
    if (!(*tables)->front().times().empty()) {
      progress.update(to_seconds((*tables)->front().times().front() - reading.span.from) / whole);
    }
    consume(**tables);
  }
  return {};
}

}  // namespace laggard::cmd
