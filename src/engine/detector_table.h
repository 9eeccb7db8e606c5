#pragma once

#include <span>

#include "model/detector.h"

namespace laggard::engine {

/// The detectors of events and profiles, a row per witness. To add one is to add a row; the peer comparison
/// of series is none of them, since it shares its windows with training (pipeline.h).
[[nodiscard]] std::span<const DetectorSpec> detector_table();

}  // namespace laggard::engine
