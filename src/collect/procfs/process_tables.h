#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laggard::collect {

// The kernel's tables of one process and of control groups (docs/formats/daemons.md).

/// What /proc/PID/stat tells.
struct ProcessStat {
  char state = '?';
  std::uint64_t major_faults = 0;
  std::uint64_t cpu_ticks = 0;  ///< User and system time, of threads that have ended too.
  std::uint64_t threads = 0;
  std::uint64_t start_ticks = 0;  ///< With the PID, what makes it this process and no later one.
  std::uint64_t rss_pages = 0;

  /// It has ended, and its parent has not asked how.
  [[nodiscard]] bool has_ended() const { return state == 'Z' || state == 'X'; }
  [[nodiscard]] bool is_stopped() const { return state == 'T' || state == 't'; }
};
/// Nothing when the line is not of that form. The name may hold blanks and brackets.
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view text);

/// /proc/PID/task/TID/schedstat: how long the thread was ready and not running, in ns.
[[nodiscard]] std::optional<std::uint64_t> parse_run_delay(std::string_view text);

/// `cpu.stat` of a control group: in how many periods, and for how long, its processes were held because
/// their quota was used up.
struct Throttling {
  std::uint64_t periods = 0;
  std::uint64_t us = 0;
};
/// Both of version 1 (throttled_time, ns) and 2 (throttled_usec). Nothing where the group has no such
/// numbers: the root, or one of version 2 without the controller.
[[nodiscard]] std::optional<Throttling> parse_throttling(std::string_view text);

/// Where /proc/PID/cgroup says that a process is: the path below the hierarchy that has the processors of
/// version 1, and below that of version 2. Empty where there is none.
struct CgroupPaths {
  std::string_view cpu_v1;
  std::string_view v2;
};
[[nodiscard]] CgroupPaths parse_cgroup_paths(std::string_view text);

}  // namespace laggard::collect
