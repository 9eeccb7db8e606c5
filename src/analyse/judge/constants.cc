#include "analyse/judge/constants.h"

namespace laggard::analyse {

double noise_floor(const Constants& constants, const MetricSpec& metric, bool flash) {
  const auto set = constants.noise_floors.find(metric.name);
  if (set != constants.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

}  // namespace laggard::analyse
