#include "engine/detectors.h"

#include <vector>

#include "detect/pings/ping_detector.h"

namespace laggard::engine {

std::span<const DetectorSpec> detector_table() {
  static const std::vector<DetectorSpec> table{
      {"pings", detect::PingDetector::kEvents, {}, &detect::PingDetector::make},
  };
  return table;
}

}  // namespace laggard::engine
