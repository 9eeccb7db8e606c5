#include "analyse/judge/policy.h"

#include "analyse/peer/comparer.h"

namespace laggard::analyse {

std::string_view to_name(Regime regime) {
  switch (regime) {
    case Regime::kAny:
      return "any";
    case Regime::kReads:
      return "reads";
    case Regime::kWrites:
      return "writes";
  }
  return "";
}

const MetricPolicy& policy_of(const Constants& constants, const MetricSpec& metric) {
  switch (metric.role) {
    case Role::kThroughput:
      return metric.kind == DeviceKind::kNet ? constants.traffic : constants.throughput;
    case Role::kLatency:
      return constants.latency;
    case Role::kCongestion:
      return constants.congestion;
    case Role::kRetransmission:
      return constants.retransmission;
  }
  return constants.throughput;
}

double self_threshold(const Constants& constants, const MetricSpec& metric, const ThresholdUse& use) {
  // Where nobody can tell reads from writes, the larger one is the safe one.
  const bool reads = use.regime != Regime::kWrites && metric.role == Role::kLatency;
  if (use.detector == to_name(Distance::kKl)) {
    if (reads && use.independent < constants.kl.least_independent_reads) return 1;
    return reads ? constants.kl.self_threshold_reads : constants.kl.self_threshold;
  }
  const MetricPolicy& policy = policy_of(constants, metric);
  return reads ? policy.self_threshold_reads : policy.self_threshold;
}

double saturated_threshold(const Constants& constants, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? 1 : constants.saturated_threshold;
}

double least_threshold(const Constants& constants, const MetricSpec& metric, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? constants.kl.least_threshold
                                                : policy_of(constants, metric).least_threshold;
}

}  // namespace laggard::analyse
