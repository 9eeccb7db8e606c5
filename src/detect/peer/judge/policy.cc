#include "detect/peer/judge/policy.h"

#include "detect/peer/compare/comparer.h"

namespace laggard::detect {

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

const MetricPolicy& policy_of(const Parameters& parameters, const MetricSpec& metric) {
  switch (metric.role) {
    case Role::kThroughput:
      return metric.kind == DeviceKind::kNet ? parameters.traffic : parameters.throughput;
    case Role::kLatency:
      return parameters.latency;
    case Role::kCongestion:
      return parameters.congestion;
    case Role::kRetransmission:
      return parameters.retransmission;
  }
  return parameters.throughput;
}

double self_threshold(const Parameters& parameters, const MetricSpec& metric, const ThresholdUse& use) {
  // Where nobody can tell reads from writes, the larger one is the safe one.
  const bool reads = use.regime != Regime::kWrites && metric.role == Role::kLatency;
  if (use.detector == to_name(Distance::kKl)) {
    if (reads && use.independent < parameters.kl.least_independent_reads) return 1;
    return reads ? parameters.kl.self_threshold_reads : parameters.kl.self_threshold;
  }
  const MetricPolicy& policy = policy_of(parameters, metric);
  return reads ? policy.self_threshold_reads : policy.self_threshold;
}

double saturated_threshold(const Parameters& parameters, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? 1 : parameters.saturated_threshold;
}

double least_threshold(const Parameters& parameters, const MetricSpec& metric, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? parameters.kl.least_threshold
                                                : policy_of(parameters, metric).least_threshold;
}

}  // namespace laggard::detect
