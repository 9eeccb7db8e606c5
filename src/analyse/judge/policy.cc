#include "analyse/judge/policy.h"

#include "analyse/peer/comparer.h"

namespace laggard::analyse {

namespace {

// A direction of traffic that is a fiftieth of the whole is no load whose asymmetry means anything: stray
// reads during pure writes, ACKs against data.
constexpr MetricPolicy kThroughputPolicy{0.02, 3, 3, 1};
// A server that looks up names for the others moves 1.4 times their traffic, and is 3.3 bins away from them.
constexpr MetricPolicy kTrafficPolicy{0.02, 6, 6, 1};
constexpr MetricPolicy kLatencyPolicy{0.10, 2, 16, 1};
constexpr MetricPolicy kRetransmissionPolicy{0, 2, 2, 1};
constexpr MetricPolicy kCongestionPolicy{0, 0.40, 0.40, 0.30};

}  // namespace

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

const MetricPolicy& policy_of(const MetricSpec& metric) {
  switch (metric.role) {
    case Role::kThroughput:
      return metric.kind == DeviceKind::kNet ? kTrafficPolicy : kThroughputPolicy;
    case Role::kLatency:
      return kLatencyPolicy;
    case Role::kCongestion:
      return kCongestionPolicy;
    case Role::kRetransmission:
      return kRetransmissionPolicy;
  }
  return kThroughputPolicy;
}

double self_threshold(const MetricSpec& metric, const ThresholdUse& use) {
  // Where nobody can tell reads from writes, the larger one is the safe one.
  const bool reads = use.regime != Regime::kWrites && metric.role == Role::kLatency;
  if (use.detector == to_name(Distance::kKl)) {
    if (reads && use.independent < kKlPolicy.least_independent_reads) return 1;
    return reads ? kKlPolicy.self_threshold_reads : kKlPolicy.self_threshold;
  }
  const MetricPolicy& policy = policy_of(metric);
  return reads ? policy.self_threshold_reads : policy.self_threshold;
}

double least_threshold(const MetricSpec& metric, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? kKlPolicy.least_threshold
                                                : policy_of(metric).least_threshold;
}

}  // namespace laggard::analyse
