#pragma once

#include "base/error.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

/// Chooses the preset of `setup` and fits it: by how long and how often was recorded with `auto`, with what
/// the options describe one by one. Refuses a recording in whose span nothing was recorded.
[[nodiscard]] Status choose_preset(const AnalysisOptions& options, AnalysisSetup& setup);

/// Windows of the other length, with `auto` or where both were asked for, unless windows were described one
/// by one; after the algorithm and its parameters have been chosen. With `auto` a remark says what was
/// chosen.
[[nodiscard]] Status choose_beside(const AnalysisOptions& options, AnalysisSetup& setup);

}  // namespace laggard::cmd
