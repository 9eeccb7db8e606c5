#include "analyse/judge/constants.h"

namespace laggard::analyse {

Constants constants_of(const Preset& preset) {
  Constants constants;
  constants.gate_severity = preset.gate_severity;
  constants.idle_requests = preset.idle_requests;
  return constants;
}

double noise_floor(const Constants& constants, const MetricSpec& metric, bool flash) {
  const auto set = constants.noise_floors.find(metric.name);
  if (set != constants.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

}  // namespace laggard::analyse
