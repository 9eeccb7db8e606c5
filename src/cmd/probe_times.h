#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "model/incident.h"
#include "model/incident_statistics.h"

namespace laggard::cmd {

/// Reads all probes of the recordings and tells those that were begun while something on their way was sick
/// from all others. What a probe passes is what the pings' model says (detect::PingPaths). Of a probe that
/// ends after it was told to have timed out, the time is counted and the failure, too.
[[nodiscard]] Result<std::vector<ProbeTimes>> probe_times(const AnalysisSetup& setup,
                                                          std::span<const Incident> incidents);

}  // namespace laggard::cmd
