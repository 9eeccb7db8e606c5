#include "collect/procfs/diskstats.h"

#include <bit>

#include "base/text.h"
#include "model/sync_action.h"

namespace laggard::collect {

namespace {

constexpr std::array<std::string_view, kDiskCounters> kNames{
    "rd_ios",     "rd_merges",  "rd_sectors", "rd_ms",  "wr_ios",      "wr_merges",
    "wr_sectors", "wr_ms",      "in_flight",  "io_ms",  "weighted_ms", "dc_ios",
    "dc_merges",  "dc_sectors", "dc_ms",      "fl_ios", "fl_ms"};

constexpr int kFewest = 11;

}  // namespace

std::vector<TableCounter> disk_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kDiskCounters + 1);
  for (const std::string_view name : kNames) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kDisk, name)->form});
  }
  counters.push_back({std::string(kSyncActionCounter), CounterForm::kLevel});
  return counters;
}

std::optional<DiskLine> split_disk_line(std::string_view line) {
  const std::string_view major = take_word(line);
  const std::string_view minor = take_word(line);
  const std::string_view name = take_word(line);
  const auto digit = [](std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; };
  if (!digit(major) || !digit(minor) || name.empty()) return std::nullopt;
  return DiskLine{name, line};
}

std::uint32_t read_disk_counters(std::string_view counters, std::span<std::uint64_t, kDiskCounters> values) {
  const std::uint32_t mask = read_numbers(counters, values);
  // The width is what counts, not how many were readable: a negative in_flight spoils only itself.
  return std::bit_width(mask) < kFewest ? 0 : mask;
}

}  // namespace laggard::collect
