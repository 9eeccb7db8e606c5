#include "detect/peer/judge/parameters.h"

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

double noise_floor(const Parameters& parameters, const MetricSpec& metric, bool flash) {
  const auto set = parameters.noise_floors.find(metric.name);
  if (set != parameters.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

}  // namespace laggard::detect
