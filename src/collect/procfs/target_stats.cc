#include "collect/procfs/target_stats.h"

#include <array>
#include <optional>

#include "base/text.h"

namespace laggard::collect {

namespace {

using enum TargetCounter;

constexpr std::uint64_t kBytesInSector = 512;
constexpr std::uint64_t kUsInMs = 1000;
constexpr std::uint64_t kNsInMs = 1'000'000;

/// `NAME COUNT samples [UNIT] MIN MAX SUM …`; the sum is there when the unit is one.
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
  // A direction without I/O yet has no line, but the other shows that times are kept.
  if (!read_us && !write_us) return counters;
  counters.set(kReadMs, read_us.value_or(0) / kUsInMs);
  counters.set(kWriteMs, write_us.value_or(0) / kUsInMs);
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
  // Sums of bytes are kept as sectors; what is left over of each file system is less than a sector.
  counters.set(kReadSectors, counters.at(kReadSectors) + *found[0] / kBytesInSector);
  counters.set(kWriteSectors, counters.at(kWriteSectors) + *found[1] / kBytesInSector);
  counters.set(kReads, counters.at(kReads) + *found[2]);
  counters.set(kWrites, counters.at(kWrites) + *found[3]);
  return true;
}

}  // namespace laggard::collect
