#include "engine/detectors.h"

#include <vector>

#include "detect/behaviour/behaviour_detector.h"
#include "detect/logs/log_detector.h"
#include "detect/pings/ping_detector.h"
#include "detect/syscalls/syscall_detector.h"

namespace laggard::engine {

std::span<const DetectorSpec> detector_table() {
  static const std::vector<DetectorSpec> table{
      {"behaviour", {}, detect::BehaviourDetector::kProfiles, &detect::BehaviourDetector::make, true, true},
      {"logs", detect::LogDetector::kEvents, {}, &detect::LogDetector::make, false, true},
      {"pings", detect::PingDetector::kEvents, {}, &detect::PingDetector::make, true, true},
      {"syscalls", detect::SyscallDetector::kEvents, {}, &detect::SyscallDetector::make},
  };
  return table;
}

}  // namespace laggard::engine
