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
  /// Threshold on the score without training, in bins (cwnd: a fraction of the median).
  double self_threshold = 3;
  double self_threshold_reads = 3;  ///< The same while the group mostly reads.
  /// A trained threshold is never taken below this: one bin of FD is within healthy noise by construction.
  double least_threshold = 1;
};

[[nodiscard]] const MetricPolicy& policy_of(const MetricSpec& metric);

[[nodiscard]] double self_threshold(const MetricSpec& metric, Regime regime);

}  // namespace laggard::analyse
