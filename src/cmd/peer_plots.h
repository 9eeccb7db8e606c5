#pragma once

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "model/diagnosis.h"
#include "model/plot.h"
#include "report/html.h"

namespace laggard::cmd {

/// The plots of every incident's strongest evidence, from a second pass over the recordings. Score maps are
/// left to the caller, who has them already.
[[nodiscard]] Result<Plots> incident_plots(AnalysisSetup& setup, const Diagnosis& diagnosis);

/// All peers of every group superimposed in every judged metric (T §3.3.1).
[[nodiscard]] Result<report::TrainingDay> training_plots(AnalysisSetup& setup);

}  // namespace laggard::cmd
