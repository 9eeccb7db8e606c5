#pragma once

#include <string_view>

#include "detect/peer/judge/parameters.h"
#include "model/metric.h"

namespace laggard::detect {

/// What the group as a whole was doing in a window. Latency behaves differently under each: writes are paced
/// by write-back, which keeps the servers' queues alike; synchronous reads form a closed loop in which the
/// queue wanders between healthy servers.
enum class Regime { kAny, kReads, kWrites };
[[nodiscard]] std::string_view to_name(Regime regime);  // any, reads, writes

[[nodiscard]] const MetricPolicy& policy_of(const Parameters& parameters, const MetricSpec& metric);

/// Which track a threshold is for, beside the metric.
struct ThresholdUse {
  std::string_view detector = "cdf";  ///< A distance, or `cwnd`.
  Regime regime = Regime::kAny;
  double independent = 64.0 / 5;  ///< Samples of a window: WinSize / smoothing.
};

/// Positions on the scale of the distance (peer/scale.h); for cwnd the fraction itself.
[[nodiscard]] double self_threshold(const Parameters& parameters, const MetricSpec& metric,
                                    const ThresholdUse& use);
/// For latencies that may come of waiting alone. Of `kl`, which knows no magnitude, the ceiling: never.
[[nodiscard]] double saturated_threshold(const Parameters& parameters, const ThresholdUse& use);
[[nodiscard]] double least_threshold(const Parameters& parameters, const MetricSpec& metric,
                                     const ThresholdUse& use);

}  // namespace laggard::detect
