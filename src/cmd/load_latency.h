#pragma once

#include <vector>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "model/incident_statistics.h"

namespace laggard::cmd {

void add_latency(LatencyTally& tally, double ms);

/// Reads the recordings once more for the latency of disks that are compared, by the load of their hosts:
/// loads below one, and then from each power of two to the next. Empty where no host told of its processes.
[[nodiscard]] Result<std::vector<LoadLatency>> latency_under_load(const AnalysisSetup& setup);

}  // namespace laggard::cmd
