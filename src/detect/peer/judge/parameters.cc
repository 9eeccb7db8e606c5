#include "detect/peer/judge/parameters.h"

#include <algorithm>
#include <limits>

namespace laggard::detect {

Parameters parameters_of(const Preset& preset) {
  Parameters parameters;
  parameters.incidents.gate_severity = preset.gate_severity;
  parameters.idle_requests = preset.idle_requests;
  return parameters;
}

Parameters paper_parameters(const Preset& preset) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  Parameters parameters = parameters_of(preset);
  // The noise floor is the metric's own, whatever the group's level.
  for (MetricPolicy* policy : {&parameters.throughput, &parameters.traffic, &parameters.latency,
                               &parameters.retransmission, &parameters.congestion}) {
    policy->floor_share = 0;
  }
  parameters.least_slowdown = 0;  // Busy times excuse nobody.
  parameters.standby_ms = kNever;
  parameters.ratio.seconds = 0;
  parameters.incidents.gate_severity = kNever;  // Only the filter over windows makes a component faulty.
  parameters.incidents.secondary_share = 0;     // No incident explains another.
  parameters.policies = {.retransmissions = false,
                         .floor_use = FloorUse::kWithoutSpread,
                         .congestion = CongestionTest::kEachSecond,
                         .regimes = false,
                         .idleness = false,
                         .directions = false,
                         .absence = false,
                         .bias = false,
                         .pooled_thresholds = false,
                         .bounded_kl = false,
                         .joint_confirmation = false,
                         .failovers = false,
                         .companions = false};
  return parameters;
}

bool all_flash(const Grouping& grouping, const PeerGroup& group) {
  return std::ranges::all_of(group.members, [&](ComponentId id) { return grouping[id].rotational == false; });
}

double noise_floor(const Parameters& parameters, const MetricSpec& metric, bool flash) {
  const auto set = parameters.noise_floors.find(metric.name);
  if (set != parameters.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

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
