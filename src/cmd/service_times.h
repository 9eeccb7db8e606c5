#pragma once

#include "base/error.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

// What has to be known before service times are judged by their deviations (detect::service_times.h). Nothing
// of this does anything where no such metric was recorded, or the algorithm judges them otherwise.

/// Before training: reads the recordings once, to find who is saturated in them.
[[nodiscard]] Status find_saturated(AnalysisSetup& setup);

/// One sentence per metric and group in which somebody is saturated.
[[nodiscard]] std::vector<std::string> saturated_sentences(const AnalysisSetup& setup);

/// Whether nothing is compared by a distance, because all that is compared is judged so.
[[nodiscard]] bool are_service_times_alone(const AnalysisSetup& setup);

/// Before a diagnosis: takes over what training taught. Metrics without thresholds are not compared,
/// which is a remark, and an error where nothing else is compared.
[[nodiscard]] Status heed_service_times(AnalysisSetup& setup);

}  // namespace laggard::cmd
