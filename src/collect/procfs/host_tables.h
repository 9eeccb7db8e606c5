#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sample_table.h"

namespace laggard::collect {

/// The counters of a host, in the order of host_counters().
enum class HostCounter : std::uint8_t {
  kCpuUser,
  kCpuSystem,
  kCpuIrq,
  kCpuIdle,
  kCpuIowait,
  kCpuSteal,
  kRunning,
  kBlocked,
  kPsiCpu,
  kPsiIo,
  kPsiIoFull,
  kPsiMemory,
  kPsiMemoryFull,
  kSwapIn,
  kSwapOut,
  kMajorFaults,
  kMemAvailable,
  kCpuMhz,
  kThermalThrottles,
  kEccCorrected,
  kEccUncorrected,
};
inline constexpr std::size_t kHostCounters = 21;
/// The last ones, which virtual machines do not have.
inline constexpr std::size_t kRareHostCounters = 4;

[[nodiscard]] std::vector<TableCounter> host_counters();

/// What a host showed at one moment.
struct HostSample {
  std::array<std::uint64_t, kHostCounters> values{};
  std::uint32_t present = 0;

  void set(HostCounter counter, std::uint64_t value) {
    values[static_cast<std::size_t>(counter)] = value;
    present |= std::uint32_t{1} << static_cast<unsigned>(counter);
  }
  [[nodiscard]] std::optional<std::uint64_t> get(HostCounter counter) const {
    if ((present >> static_cast<unsigned>(counter) & 1U) == 0) return std::nullopt;
    return values[static_cast<std::size_t>(counter)];
  }
};

// The kernel's tables (docs/formats/host.md). What a line does not say is left out of the sample.

/// /proc/stat. \param tick_ms  of the kernel's clock ticks, in which it counts: mostly 10.
void read_proc_stat(std::string_view text, std::uint64_t tick_ms, HostSample& sample);
/// /proc/vmstat: swapping and major faults.
void read_vmstat(std::string_view text, HostSample& sample);
/// /proc/meminfo: what programs could still get without swapping.
void read_meminfo(std::string_view text, HostSample& sample);

/// The totals of a file of /proc/pressure, in us; what it does not have is missing (`full` of cpu before
/// Linux 5.13).
struct Pressure {
  std::optional<std::uint64_t> some_us;
  std::optional<std::uint64_t> full_us;
};
[[nodiscard]] Pressure read_pressure(std::string_view text);

}  // namespace laggard::collect
