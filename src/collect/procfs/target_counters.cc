#include "collect/procfs/target_counters.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

using enum TargetCounter;

constexpr std::uint64_t kMicrosecondsInMs = 1000;

/// In the order of TargetCounter; operations that leave the name space unchanged come first.
constexpr std::array<std::string_view, kMdtOperations> kOperations{
    "open",   "close", "getattr", "getxattr", "statfs",  "mknod",    "link",
    "unlink", "mkdir", "rmdir",   "rename",   "setattr", "setxattr", "sync"};
constexpr std::size_t kReadingOperations = 5;

std::size_t place_of(TargetCounter operation) {
  LAGGARD_CHECK(operation >= kOpen && operation <= kSync);
  return static_cast<std::size_t>(operation) - static_cast<std::size_t>(kOpen);
}

TargetCounter operation_at(std::size_t place) {
  return static_cast<TargetCounter>(static_cast<std::size_t>(kOpen) + place);
}

}  // namespace

std::vector<TableCounter> target_counters() {
  using enum CounterForm;
  return {{"rd_ios", kCumulative},      {"rd_sectors", kCumulative}, {"rd_ms", kCumulative},
          {"wr_ios", kCumulative},      {"wr_sectors", kCumulative}, {"wr_ms", kCumulative},
          {"in_flight", kGauge},        {"io_ms", kCumulative},      {"weighted_ms", kCumulative},
          {"md_open", kCumulative},     {"md_close", kCumulative},   {"md_getattr", kCumulative},
          {"md_getxattr", kCumulative}, {"md_statfs", kCumulative},  {"md_mknod", kCumulative},
          {"md_link", kCumulative},     {"md_unlink", kCumulative},  {"md_mkdir", kCumulative},
          {"md_rmdir", kCumulative},    {"md_rename", kCumulative},  {"md_setattr", kCumulative},
          {"md_setxattr", kCumulative}, {"md_sync", kCumulative}};
}

std::optional<TargetCounter> mdt_operation(std::string_view name) {
  const auto* const found = std::find(kOperations.begin(), kOperations.end(), name);
  if (found == kOperations.end()) return std::nullopt;
  return operation_at(static_cast<std::size_t>(found - kOperations.begin()));
}

void MdtOperations::count(TargetCounter operation, std::uint64_t requests) {
  const std::size_t place = place_of(operation);
  requests_[place] = requests;
  counted_ |= std::uint32_t{1} << place;
}

void MdtOperations::time(TargetCounter operation, std::uint64_t microseconds) {
  const std::size_t place = place_of(operation);
  (place < kReadingOperations ? read_us_ : write_us_) += microseconds;
  timed_ |= std::uint32_t{1} << place;
}

TargetCounters MdtOperations::counters() const {
  TargetCounters counters;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  for (std::size_t place = 0; place < kOperations.size(); ++place) {
    counters.set(operation_at(place), requests_[place]);
    (place < kReadingOperations ? reads : writes) += requests_[place];
  }
  counters.set(kReads, reads);
  counters.set(kWrites, writes);
  if (timed_ == 0 || timed_ != counted_) return counters;
  counters.set(kReadMs, read_us_ / kMicrosecondsInMs);
  counters.set(kWriteMs, write_us_ / kMicrosecondsInMs);
  return counters;
}

void BrwTimes::Sum::add(std::uint64_t upper_ms, std::uint64_t count) {
  ios += count;
  quarter_ms += count * (upper_ms <= 1 ? 2 : 3 * upper_ms);
}

void BrwTimes::complete(TargetCounters& counters) const {
  if (!counters.has(kReads) || !counters.has(kWrites)) return;
  const std::uint64_t transfers = counters.at(kReads) + counters.at(kWrites);
  if (transfers == 0 || reads_.ios + writes_.ios < transfers / 2 + transfers % 2) return;
  counters.set(kReadMs, reads_.quarter_ms / 4);
  counters.set(kWriteMs, writes_.quarter_ms / 4);
}

std::optional<std::uint64_t> BrwTimes::bucket(std::string_view word) {
  std::uint64_t factor = 1;
  if (word.ends_with('K')) factor = 1024;
  if (word.ends_with('M')) factor = std::uint64_t{1024} * 1024;
  if (factor > 1) word.remove_suffix(1);
  const auto number = to_number<std::uint64_t>(word);
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return *number * factor;
}

namespace {

constexpr std::uint64_t kBytesInSector = 512;
constexpr std::uint64_t kNsInMs = 1'000'000;

/// `NAME COUNT samples [UNIT] MIN MAX SUM …`; the sum is there when the unit is one that can be added.
struct StatsLine {
  std::string_view name;
  std::uint64_t count = 0;
  std::string_view unit;
  std::uint64_t sum = 0;
};

std::optional<StatsLine> stats_line(std::string_view text) {
  StatsLine line;
  line.name = take_word(text);
  const auto count = to_number<std::uint64_t>(take_word(text));
  if (!count || take_word(text) != "samples") return std::nullopt;
  line.count = *count;
  line.unit = take_word(text);
  for (int skip = 0; skip < 2; ++skip) static_cast<void>(take_word(text));
  line.sum = to_number<std::uint64_t>(take_word(text)).value_or(0);
  return line;
}

}  // namespace

TargetCounters read_ost_stats(std::string_view text) {
  TargetCounters counters;
  bool recognised = false;
  std::optional<std::uint64_t> read_us;
  std::optional<std::uint64_t> write_us;
  StatsLine reads;
  StatsLine writes;
  while (!text.empty()) {
    const std::string_view raw = take_line(text);
    recognised = recognised || raw.starts_with("snapshot_time");
    const auto line = stats_line(raw);
    if (!line) continue;
    if (line->name == "read_bytes" && line->unit == "[bytes]") reads = *line;
    if (line->name == "write_bytes" && line->unit == "[bytes]") writes = *line;
    if (line->name == "read" && line->unit == "[usecs]") read_us = line->sum;
    if (line->name == "write" && line->unit == "[usecs]") write_us = line->sum;
  }
  if (!recognised) return counters;
  counters.set(kReads, reads.count);
  counters.set(kReadSectors, reads.sum / kBytesInSector);
  counters.set(kWrites, writes.count);
  counters.set(kWriteSectors, writes.sum / kBytesInSector);
  // A direction without I/O has no line yet, but the other one shows that this Lustre keeps times.
  if (!read_us && !write_us) return counters;
  counters.set(kReadMs, read_us.value_or(0) / kMicrosecondsInMs);
  counters.set(kWriteMs, write_us.value_or(0) / kMicrosecondsInMs);
  return counters;
}

void add_brw_times(std::string_view text, TargetCounters& counters) {
  BrwTimes times;
  bool in_times = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.find("ios") != std::string_view::npos || trim(line).empty()) {
      in_times = line.starts_with("I/O time");
      continue;
    }
    if (!in_times) continue;
    // `K: reads % cum % | writes % cum %`
    std::string_view name = take_word(line);
    if (!name.ends_with(':')) continue;
    name.remove_suffix(1);
    const auto upper = BrwTimes::bucket(name);
    const auto read = to_number<std::uint32_t>(take_word(line));
    const std::size_t bar = line.find('|');
    if (!upper || !read || bar == std::string_view::npos) continue;
    line.remove_prefix(bar + 1);
    const auto write = to_number<std::uint32_t>(take_word(line));
    times.add_reads(*upper, *read);
    if (write) times.add_writes(*upper, *write);
  }
  times.complete(counters);
}

TargetCounters read_mdt_stats(std::string_view text) {
  MdtOperations operations;
  bool recognised = false;
  while (!text.empty()) {
    const std::string_view raw = take_line(text);
    recognised = recognised || raw.starts_with("snapshot_time");
    const auto line = stats_line(raw);
    const auto operation = line ? mdt_operation(line->name) : std::nullopt;
    if (!operation) continue;
    operations.count(*operation, line->count);
    if (line->unit == "[usecs]") operations.time(*operation, line->sum);
  }
  return recognised ? operations.counters() : TargetCounters{};
}

TargetCounters read_pool_io(std::string_view text) {
  TargetCounters counters;
  static_cast<void>(take_line(text));
  const std::string_view heading = take_line(text);
  std::string_view words = heading;
  if (take_word(words) != "nread" || take_word(words) != "nwritten") return counters;
  // nread nwritten reads writes wtime wlentime wupdate rtime rlentime rupdate wcnt rcnt
  constexpr std::size_t kIoColumns = 12;
  std::array<std::uint64_t, kIoColumns> cells{};
  const std::uint32_t all = (std::uint32_t{1} << kIoColumns) - 1;
  if (read_numbers(take_line(text), cells) != all) return counters;
  counters.set(kReadSectors, cells[0] / kBytesInSector);
  counters.set(kWriteSectors, cells[1] / kBytesInSector);
  counters.set(kReads, cells[2]);
  counters.set(kWrites, cells[3]);
  counters.set(kWeightedMs, (cells[5] + cells[8]) / kNsInMs);
  counters.set(kBusyMs, cells[7] / kNsInMs);
  counters.set(kInFlight, cells[10] + cells[11]);
  return counters;
}

bool add_pool_objset(std::string_view text, TargetCounters& counters) {
  std::array<std::optional<std::uint64_t>, 4> found;  // nread nwritten reads writes
  constexpr std::array<std::string_view, 4> kNames{"nread", "nwritten", "reads", "writes"};
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view name = take_word(line);
    static_cast<void>(take_word(line));  // The kstat's type.
    for (std::size_t n = 0; n < kNames.size(); ++n) {
      if (name == kNames[n]) found[n] = to_number<std::uint64_t>(take_word(line));
    }
  }
  for (const auto& number : found) {
    if (!number) return false;
  }
  // Bytes are kept as sectors, which loses less than a sector for each file system.
  counters.set(kReadSectors, counters.at(kReadSectors) + *found[0] / kBytesInSector);
  counters.set(kWriteSectors, counters.at(kWriteSectors) + *found[1] / kBytesInSector);
  counters.set(kReads, counters.at(kReads) + *found[2]);
  counters.set(kWrites, counters.at(kWrites) + *found[3]);
  return true;
}

}  // namespace laggard::collect
