#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/missing.h"
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
    slots_of_kind(DeviceKind::kDisk), slots_of_kind(DeviceKind::kNet), slots_of_kind(DeviceKind::kTcp)};
inline constexpr std::size_t kSlots =
    std::max({kSlotNames[0].count, kSlotNames[1].count, kSlotNames[2].count});

/// The slot of a counter; nothing for counters that no metric needs.
[[nodiscard]] constexpr std::optional<Slot> slot_of(DeviceKind kind, std::string_view counter) {
  return kSlotNames[static_cast<std::size_t>(kind)].find(counter);
}

/// Stands for a counter that a formula does without: its value is always missing.
inline constexpr Slot kNoSlot{static_cast<std::uint8_t>(kSlots)};

/// What one device did in one grid cell: the increase of a cumulative counter, the mean of a level or gauge.
/// NaN where it was not sampled.
struct CellValues {
  double seconds = 0;  ///< How much of the cell the increases cover.
  std::array<double, kSlots + 1> values{};

  CellValues() { values.fill(kMissing); }
  [[nodiscard]] double operator[](Slot slot) const { return values[static_cast<std::size_t>(slot)]; }
  double& operator[](Slot slot) { return values[static_cast<std::size_t>(slot)]; }
};

}  // namespace laggard::derive
