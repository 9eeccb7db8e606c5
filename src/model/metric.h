#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/counter.h"

namespace laggard {

/// What a metric says about a component. Rules and detectors speak of roles, so that gauges from elsewhere
/// (sadf's rates, an array vendor's latency) take part in them.
enum class Role : std::uint8_t { kThroughput, kLatency, kCongestion, kRetransmission };

enum class Resource : std::uint8_t { kStorage, kNetwork };

/// In which direction a component that differs from its peers is sick.
enum class BadDirection : std::uint8_t { kBoth, kHigher, kLower };

/// A quantity that peers are compared on, derived from counters (T Table 3.1, methods.md §2).
struct MetricSpec {
  std::string_view name;
  DeviceKind kind;
  Resource resource;
  Role role;
  BadDirection bad;
  std::string_view unit;
  /// Differences below this are noise whatever the statistics say (T §5.8.2). In `unit`, rotating disks.
  double noise_floor;
  /// The same for devices known not to rotate: 1 ms would blind us to a sick NVMe.
  double noise_floor_flash;
  bool diagnosed_by_default;
};

/// rd_sec wr_sec await tps avgrq-sz avgqu-sz %util, rxbyt txbyt rxpck txpck, cwnd and retransmits.
[[nodiscard]] std::span<const MetricSpec> metric_catalogue();
[[nodiscard]] const MetricSpec* find_metric(std::string_view name);

[[nodiscard]] std::string_view to_name(Role role);          // throughput, latency, congestion, retransmission
[[nodiscard]] std::string_view to_name(Resource resource);  // storage, network

}  // namespace laggard
