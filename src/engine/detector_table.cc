#include "engine/detectors.h"

#include <vector>

namespace laggard::engine {

std::span<const DetectorSpec> detector_table() {
  static const std::vector<DetectorSpec> table{};
  return table;
}

}  // namespace laggard::engine
