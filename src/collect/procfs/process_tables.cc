#include "collect/procfs/process_tables.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Places of numbers behind the state (proc(5), whose first such field is number 4).
enum Place : std::uint8_t {
  kMajorFaultsAt = 12 - 4,
  kUserTicks = 14 - 4,
  kSystemTicks = 15 - 4,
  kThreadsAt = 20 - 4,
  kStartTicks = 22 - 4,
  kRssPages = 24 - 4,
  kPlaces
};

constexpr std::uint64_t kNsPerUs = 1000;

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  const std::string_view state = take_word(text);
  std::array<std::uint64_t, kPlaces> numbers{};
  const std::uint32_t found = read_numbers(text, numbers);
  const bool complete = std::ranges::all_of(
      std::array{kMajorFaultsAt, kUserTicks, kSystemTicks, kThreadsAt, kStartTicks, kRssPages},
      [&](Place place) { return (found >> static_cast<unsigned>(place) & 1U) != 0; });
  if (state.size() != 1 || !complete) return std::nullopt;
  return ProcessStat{.state = state.front(),
                     .major_faults = numbers[kMajorFaultsAt],
                     .cpu_ticks = numbers[kUserTicks] + numbers[kSystemTicks],
                     .threads = numbers[kThreadsAt],
                     .start_ticks = numbers[kStartTicks],
                     .rss_pages = numbers[kRssPages]};
}

std::optional<std::uint64_t> parse_run_delay(std::string_view text) {
  static_cast<void>(take_word(text));  // How long it ran.
  return to_number<std::uint64_t>(take_word(text));
}

std::optional<Throttling> parse_throttling(std::string_view text) {
  std::optional<std::uint64_t> periods;
  std::optional<std::uint64_t> us;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view name = take_word(line);
    const auto number = to_number<std::uint64_t>(take_word(line));
    if (!number) continue;
    if (name == "nr_throttled") periods = number;
    if (name == "throttled_usec") us = number;
    if (name == "throttled_time") us = *number / kNsPerUs;
  }
  if (!periods || !us) return std::nullopt;
  return Throttling{*periods, *us};
}

CgroupPaths parse_cgroup_paths(std::string_view text) {
  CgroupPaths paths;
  while (!text.empty()) {
    // `4:cpu,cpuacct:/system.slice/x`, `0::/system.slice/x`; a path may hold colons.
    const std::string_view line = take_line(text);
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) paths.v2 = path;
    const auto names = split(controllers, ',');
    if (std::ranges::find(names, "cpu") != names.end()) paths.cpu_v1 = path;
  }
  return paths;
}

}  // namespace laggard::collect
