#pragma once

#include <memory>

#include "cmd/analysis_setup.h"
#include "cmd/coordinator.h"
#include "cmd/diagnose.h"
#include "engine/diagnoser.h"
#include "model/diagnosis.h"

namespace laggard::cmd {

struct JudgedRecording {
  std::unique_ptr<engine::Diagnoser> diagnoser;
  Diagnosis diagnosis;
};

/// Reads everything that the setup asks for and judges it, so that nobody is convicted for a clock: hosts
/// that were recorded at another time than the others, or by a clock that is minutes or hours off, are moved
/// to see whether it is their clock, and are compared so (--correct-skew) or with nobody (Clocks::left_out).
/// Clocks that are off by less are told, and set right where that was asked for. \param setup  may be another
/// afterwards, of the same recordings.
[[nodiscard]] Result<JudgedRecording> judge_with_clocks(const DiagnoseOptions& options, AnalysisSetup& setup,
                                                        Coordinator* coordinator);

}  // namespace laggard::cmd
