#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/counter.h"
#include "model/sample_table.h"

/// How counters are called in time-series servers: what imports read there and what is sent there is the same
/// table, so that a recording that was sent comes back as it was.
namespace laggard {

/// A metric of a server and the counter that it is.
struct ExportedCounter {
  std::string_view metric;
  DeviceKind kind = DeviceKind::kDisk;
  /// Empty for the metrics of counters that laggard does not know by name: the label `counter` names them.
  std::string_view counter;
  /// Exporters give seconds and bytes where the kernel counts milliseconds and sectors of 512 bytes.
  double times = 1;
  double divided_by = 1;
  CounterForm unnamed_form = CounterForm::kCumulative;  ///< Of those with an empty `counter`.

  [[nodiscard]] CounterForm form() const;
};

/// The label that names the counter of a metric that is for any.
inline constexpr std::string_view kCounterLabel = "counter";

/// node_exporter's disk and network metrics, its names from before 0.16 included, and `laggard_…` for
/// everything else that a recording may hold: `_level` for a gauge and `_gauge` for a computed rate, as the
/// series are called that servers have kept since before these forms got their names.
[[nodiscard]] std::span<const ExportedCounter> exported_counters();
[[nodiscard]] const ExportedCounter* find_exported(std::string_view metric);

/// What a counter is called today. Never fails: `laggard_disk_gauge{counter="…"}` and its like take all that
/// have no name of their own, or another form than the one that goes with their name.
[[nodiscard]] const ExportedCounter& exported_as(DeviceKind kind, const TableCounter& counter);

/// A sample's value in the server's unit, from the bits of a SampleTable. The division is rounded once, so
/// that `stored_value` finds the whole number again (below 2^53).
[[nodiscard]] double exported_value(const ExportedCounter& exported, std::uint64_t bits);

/// A sample's value in the kernel's unit, as SampleTable stores it: a whole number, or the bits of a computed
/// rate's double. The exporter divided a whole number by a constant, so rounding gives it back exactly below
/// 2^53. Nothing for NaN, infinities, unreadable values, and negative ones that are no computed rate's.
[[nodiscard]] std::optional<std::uint64_t> stored_value(const ExportedCounter& exported,
                                                        std::string_view text);

/// Whether a value says that there was nothing to measure: NaN, stale markers included, and infinities.
[[nodiscard]] bool is_idle(std::string_view text);

/// The host that the label `instance` names: `fs1:9100` -> fs1, `[::1]:9100` -> ::1.
[[nodiscard]] std::string host_of_instance(const std::string& instance);
/// Its inverse: the host itself, or in brackets where part of it would pass for a port.
[[nodiscard]] std::string instance_of_host(const std::string& host);

}  // namespace laggard
