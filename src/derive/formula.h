#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/missing.h"
#include "model/metric.h"
#include "model/metric_rows.h"

namespace laggard::derive {

/// A counter that some metric reads, as a number: dense among those of its kind of device, so that what a
/// device did in a cell is a short array.
enum class Slot : std::uint8_t {};

/// The counters of a kind of device that metrics read, in the order of their slots.
struct SlotNames {
  std::array<std::string_view, 32> names{};
  std::size_t count = 0;

  [[nodiscard]] constexpr std::optional<Slot> find(std::string_view counter) const {
    for (std::size_t s = 0; s < count; ++s) {
      if (names[s] == counter) return Slot{static_cast<std::uint8_t>(s)};
    }
    return std::nullopt;
  }
};

constexpr SlotNames slots_of_kind(DeviceKind kind) {
  SlotNames slots;
  for (const MetricSpec& metric : metric_rows::kMetrics) {
    for (const std::string_view counter : metric.inputs(kind)) {
      if (!counter.empty() && !slots.find(counter)) slots.names[slots.count++] = counter;
    }
  }
  return slots;
}

/// By DeviceKind.
inline constexpr std::array<SlotNames, kDeviceKinds> kSlotNames{
    slots_of_kind(DeviceKind::kDisk), slots_of_kind(DeviceKind::kNet),    slots_of_kind(DeviceKind::kTcp),
    slots_of_kind(DeviceKind::kHost), slots_of_kind(DeviceKind::kDaemon), slots_of_kind(DeviceKind::kJob)};
inline constexpr std::size_t kSlots =
    std::max({kSlotNames[0].count, kSlotNames[1].count, kSlotNames[2].count, kSlotNames[3].count,
              kSlotNames[4].count, kSlotNames[5].count});

/// The slot of a counter; nothing for counters that no metric needs.
[[nodiscard]] constexpr std::optional<Slot> slot_of(DeviceKind kind, std::string_view counter) {
  return kSlotNames[static_cast<std::size_t>(kind)].find(counter);
}

/// Stands for a counter that a formula does without: its value is always missing.
inline constexpr Slot kNoSlot{static_cast<std::uint8_t>(kSlots)};

/// What one device did in one grid cell: the increase of a cumulative counter, the mean of a gauge or
/// computed rate. NaN where it was not sampled.
struct CellValues {
  double seconds = 0;  ///< How much of the cell the increases cover.
  std::array<double, kSlots + 1> values{};

  CellValues() { values.fill(kMissing); }
  [[nodiscard]] double operator[](Slot slot) const { return values[static_cast<std::size_t>(slot)]; }
  double& operator[](Slot slot) { return values[static_cast<std::size_t>(slot)]; }
};

/// A CounterSum with slots in place of names.
class SlotSum {
 public:
  constexpr SlotSum() = default;
  constexpr SlotSum(DeviceKind kind, const CounterSum& sum);

  /// NaN when one of the terms is missing and the total too.
  [[nodiscard]] double of(const CellValues& cell) const;

 private:
  std::array<Slot, 2> terms_{kNoSlot, kNoSlot};
  Slot total_ = kNoSlot;
  Slot also_ = kNoSlot;
  bool single_ = true;
};

/// The formula of a metric, ready to be computed for one device and cell (docs/methods/metrics.md, T
/// Table 3.1).
///
/// kRatio and kWait are 0 when nothing was done. Where requests complete less often than once in two seconds
/// of interpolated counters (below 0.5 in a cell) they count as none: the quotient of two fragments is noise.
///
/// kWait: when nothing completed while requests were in flight it is a stall: the time waited so far in ms,
/// never 0 (T §5.7.1: a controller held I/O for 103 s), and missing as long as nobody knows of any: a request
/// in flight at the sample that ends the cell may have come just before it, as happens now and then on a disk
/// with a few requests a second.
class Formula {
 public:
  explicit Formula(const MetricSpec& metric);

  /// NaN when the counters that it needs are missing; zero is a value. Of connections what one of them adds
  /// to its host's: of kPacketShare `counted` a second, else the metric itself. \param stalled_seconds  how
  /// long requests have waited without one completing, at least, this cell included.
  [[nodiscard]] double operator()(const CellValues& cell, double stalled_seconds) const;

  /// True when it is known that the connection says nothing about its host: it sent nothing and, of kUsers
  /// and kUsersShare, `value` of it is 0. A request that goes unanswered for seconds is no silence. \param
  /// value  what the formula gives.
  [[nodiscard]] bool is_silent(const CellValues& connection, double value) const {
    return connection[sent_] == 0 && (!by_use_ || value == 0);
  }
  /// How much the connection counts among those of its host: of kRatio as much as it did, so that the mean is
  /// over what was done and not over connections; else 1.
  [[nodiscard]] double weight(const CellValues& connection) const;
  [[nodiscard]] Slot packets_sent() const { return packets_sent_; }
  [[nodiscard]] Slot packets_received() const { return packets_received_; }

 private:
  FormulaShape shape_;
  bool by_use_;  ///< Who sent nothing counts all the same where the value is not 0.
  double divisor_;
  SlotSum counted_;
  SlotSum per_;
  Slot computed_;
  Slot sent_;
  Slot packets_sent_;
  Slot packets_received_;
};

/// True when no request completed in the cell although some were in flight for all of it: what kWait of disks
/// asks.
[[nodiscard]] bool is_stalled(const CellValues& cell);

}  // namespace laggard::derive
