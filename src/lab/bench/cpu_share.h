#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laggard::lab::bench {

/// Processor time since boot, in ticks, of all processors together.
struct CpuTimes {
  std::uint64_t busy = 0;  ///< Stolen time, too: somebody wanted to compute.
  std::uint64_t stolen = 0;
  std::uint64_t all = 0;
};

/// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Waiting for disks is
/// idle.
[[nodiscard]] std::optional<CpuTimes> parse_cpu_times(std::string_view stat);

/// Busy part between two readings, 0 to 1; nothing when no time has passed.
[[nodiscard]] std::optional<double> busy_share(const CpuTimes& from, const CpuTimes& to);

/// The part that the host of a virtual machine gave to others, 0 to 1; nothing when no time has passed.
[[nodiscard]] std::optional<double> stolen_share(const CpuTimes& from, const CpuTimes& to);

/// Ticks of processor time that a process and its waited-for children have used, from /proc/PID/stat.
[[nodiscard]] std::optional<std::uint64_t> parse_process_ticks(std::string_view stat);

}  // namespace laggard::lab::bench
