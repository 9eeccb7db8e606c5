#pragma once

#include <vector>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "model/incident_statistics.h"

namespace laggard::cmd {

/// Reads the recordings once more for what jobs asked metadata targets for. A job's work at a target is heavy
/// while it asks for `heavy` requests a second and more, from one sample to the next; between two samples
/// that are more than five minutes apart, or the second of which counts less, nothing is known. In the order
/// in which the work began. Empty where no jobs were recorded.
[[nodiscard]] Result<HeavyWork> heavy_metadata_work(const AnalysisSetup& setup, double heavy);

}  // namespace laggard::cmd
