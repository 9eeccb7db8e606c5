#pragma once

#include <string_view>

#include "model/metric.h"

namespace laggard::analyse {

/// What the group as a whole was doing in a window. Latency behaves differently under each: writes are paced
/// by write-back, which keeps the servers' queues alike; synchronous reads form a closed loop in which the
/// queue wanders between healthy servers.
enum class Regime { kAny, kReads, kWrites };
[[nodiscard]] std::string_view to_name(Regime regime);  // any, reads, writes

/// How far apart healthy peers may be in one metric. Found on real recordings as the middle (on a log scale)
/// of the gap between the healthiest suspect and the weakest fault; docs/methods/judge.md has the gaps.
struct MetricPolicy {
  /// Part of the group's own level that is noise: bins are never smaller than this share of it.
  double floor_share = 0;
  /// Threshold on the distance without training, in bins of the yardstick (cwnd: a fraction of the median).
  double self_threshold = 3;
  double self_threshold_reads = 3;  ///< The same while the group mostly reads.
  /// A trained threshold is never taken below this: one bin of FD is within healthy noise by construction.
  double least_threshold = 1;
};

[[nodiscard]] const MetricPolicy& policy_of(const MetricSpec& metric);

/// The share of its ceiling that `kl` must reach without training. It has no bins to count: it only says how
/// little two histograms overlap, and in a closed loop of reads those of healthy servers hardly do.
struct KlPolicy {
  double self_threshold = 0.6;
  double self_threshold_reads = 0.8;
  /// Smoothed samples follow each other: a window has about WinSize / smoothing independent ones (lab 13,
  /// production 4, quick 3). With fewer than this, healthy latencies in reads reach the ceiling itself; they
  /// are never anomalous then.
  double least_independent_reads = 8;
  double least_threshold = 0.3;
};
inline constexpr KlPolicy kKlPolicy{};

/// Which track a threshold is for, beside the metric.
struct ThresholdUse {
  std::string_view detector = "cdf";  ///< A distance, or `cwnd`.
  Regime regime = Regime::kAny;
  double independent = 64.0 / 5;  ///< Samples of a window: WinSize / smoothing.
};

/// Positions on the yardstick of the distance (peer/yardstick.h); for cwnd the fraction itself.
[[nodiscard]] double self_threshold(const MetricSpec& metric, const ThresholdUse& use);
[[nodiscard]] double least_threshold(const MetricSpec& metric, const ThresholdUse& use);

}  // namespace laggard::analyse
