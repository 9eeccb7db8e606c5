#pragma once

#include <string_view>

#include "base/error.h"
#include "cmd/diagnose.h"
#include "engine/diagnoser.h"

namespace laggard::cmd {

/// Has the recording judged and tells the diagnoser of it: by this process, by all ranks, from a checkpoint
/// as far as it goes. Whoever judged what, the diagnoser hears the same. Call its `finish` afterwards.
struct Judging {
  std::string_view doing;              ///< For the progress bar.
  Coordinator* coordinator = nullptr;  ///< None: this process alone, and nothing is kept in a checkpoint.
};
[[nodiscard]] Status judge_recording(const DiagnoseOptions& options, AnalysisSetup& setup,
                                     const Judging& judging, engine::Diagnoser& diagnoser);

}  // namespace laggard::cmd
