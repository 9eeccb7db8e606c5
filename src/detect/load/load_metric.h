#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/counter.h"

namespace laggard::detect {

/// What it says of a host that a load metric is high.
enum class LoadSide : std::uint8_t {
  kWork,     ///< It does more.
  kWaiting,  ///< More waits there, for whatever reason: it has more to do, or is slower at it.
};

/// How much a host has to do, in one respect (K §V-B: load average, memory, service time, stalls).
struct LoadMetric {
  std::string_view name;  ///< As people call it: `processes that run`.
  std::string_view unit;
  LoadSide side = LoadSide::kWork;
  /// In `unit`. Loads are compared by log2(1 + x / step): by factors above it, by differences below.
  double step = 1;
  bool falls = false;  ///< It is low where the load is high.
};

// Those that are summed up. Momentary numbers are means over samples, all others are rates.
inline constexpr std::size_t kRunning = 0;
inline constexpr std::size_t kCpuTime = 1;
inline constexpr std::size_t kRequestRate = 2;
inline constexpr std::size_t kDiskTraffic = 3;
inline constexpr std::size_t kTraffic = 4;
inline constexpr std::size_t kBlocked = 5;
inline constexpr std::size_t kDiskQueue = 6;
inline constexpr std::size_t kPsiCpu = 7;
inline constexpr std::size_t kPsiIo = 8;
inline constexpr std::size_t kPsiMemory = 9;
inline constexpr std::size_t kSwapping = 10;
inline constexpr std::size_t kDrops = 11;
inline constexpr std::size_t kMemoryLeft = 12;
inline constexpr std::size_t kSummedLoads = 13;
/// How long a request to a disk takes: the queue by the requests of a second (Little).
inline constexpr std::size_t kServiceTime = 13;
inline constexpr std::size_t kLoadMetrics = 14;

inline constexpr std::array<LoadMetric, kLoadMetrics> kLoads{{
    {"processes that run", "", LoadSide::kWork, 1},
    {"processor time", "% of a core", LoadSide::kWork, 10},
    {"disk requests", "/s", LoadSide::kWork, 5},
    {"disk traffic", "sectors/s", LoadSide::kWork, 128},
    {"network traffic", "bytes/s", LoadSide::kWork, 65536},
    {"processes that wait for I/O", "", LoadSide::kWaiting, 1},
    {"disk queue", "requests", LoadSide::kWaiting, 0.1},
    {"waiting for a processor", "%", LoadSide::kWaiting, 1},
    {"waiting for storage", "%", LoadSide::kWaiting, 1},
    {"waiting for memory", "%", LoadSide::kWaiting, 1},
    {"swapping", "pages/s", LoadSide::kWaiting, 10},
    {"dropped packets", "/s", LoadSide::kWaiting, 1},
    {"memory that is left", "kB", LoadSide::kWaiting, 65536, true},
    {"time of a disk request", "ms", LoadSide::kWaiting, 1},
}};

/// A counter that adds to a load metric.
struct LoadInput {
  DeviceKind kind = DeviceKind::kHost;
  std::string_view counter;
  std::size_t metric = 0;
  double factor = 1;             ///< From the counter's unit to the metric's.
  std::string_view unless = {};  ///< It is of no use where this one was recorded, too.
};

/// All of them. Of hosts none of whose counters of kind `host` were recorded nothing is known.
[[nodiscard]] std::span<const LoadInput> load_inputs();

}  // namespace laggard::detect
