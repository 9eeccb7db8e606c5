#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/missing.h"
#include "model/counter.h"

namespace laggard::analyse {

/// The counters that metrics are computed from, under one index whatever kind of device they belong to.
enum class Slot : std::uint8_t {
  kReads,
  kWrites,
  kRequests,  ///< Reads and writes together, where only that is known.
  kReadSectors,
  kWriteSectors,
  kReadMs,
  kWriteMs,
  kDiscardMs,
  kBusyMs,
  kQueueMs,
  kInFlight,
  kRxBytes,
  kTxBytes,
  kRxPackets,
  kTxPackets,
  kCwnd,
  kRetransmitted,
  kBytesSent,
  // Rates that somebody else computed.
  kReadSectorRate,
  kWriteSectorRate,
  kAwait,
  kThroughput,
  kLatency,
  kRxByteRate,
  kTxByteRate,
  kRxPacketRate,
  kTxPacketRate,
};
inline constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::kTxPacketRate) + 1;

/// The slot of a counter; nothing for counters that no metric needs.
[[nodiscard]] std::optional<Slot> slot_of(DeviceKind kind, std::string_view counter);

/// What one device did in one grid cell: the increase of a cumulative counter, the mean of a level or gauge.
/// NaN where it was not sampled.
struct CellValues {
  double seconds = 0;  ///< How much of the cell the increases cover.
  std::array<double, kSlots> values{};

  CellValues() { values.fill(kMissing); }
  [[nodiscard]] double operator[](Slot slot) const { return values[static_cast<std::size_t>(slot)]; }
  double& operator[](Slot slot) { return values[static_cast<std::size_t>(slot)]; }
};

}  // namespace laggard::analyse
