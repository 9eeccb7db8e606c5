#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/counter.h"

namespace laggard::collect {

/// A metric of node_exporter and the counter that it is.
struct ExportedCounter {
  std::string_view metric;
  DeviceKind kind;
  std::string_view counter;
  /// Exporters give seconds and bytes where the kernel counts milliseconds and sectors of 512 bytes.
  double times = 1;
  double divided_by = 1;
};

/// node_exporter's disk and network metrics, its names from before 0.16 included.
[[nodiscard]] std::span<const ExportedCounter> exported_counters();
[[nodiscard]] const ExportedCounter* find_exported(std::string_view metric);

/// A sample's value in the kernel's unit, as SampleTable stores it. The exporter divided a whole number by a
/// constant, so rounding gives it back exactly below 2^53. Nothing for NaN, infinities, negative and
/// unreadable values.
[[nodiscard]] std::optional<std::uint64_t> counter_value(const ExportedCounter& exported,
                                                         std::string_view text);

/// Whether a value says that there was nothing to measure: NaN, stale markers included, and infinities.
[[nodiscard]] bool is_idle(std::string_view text);

}  // namespace laggard::collect
