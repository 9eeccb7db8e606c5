#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

Parameters parameters_of(const Preset& preset) {
  Parameters parameters;
  parameters.incidents.gate_severity = preset.gate_severity;
  parameters.idle_requests = preset.idle_requests;
  return parameters;
}

double noise_floor(const Parameters& parameters, const MetricSpec& metric, bool flash) {
  const auto set = parameters.noise_floors.find(metric.name);
  if (set != parameters.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

}  // namespace laggard::detect
