#pragma once

#include <string_view>

#include "analyse/diagnoser.h"
#include "base/error.h"
#include "cmd/diagnose.h"

namespace laggard::cmd {

/// Has the recording judged and tells the diagnoser of it: by this process, by all ranks, from a journal as
/// far as it goes. Whoever judged what, the diagnoser hears the same. Call its `finish` afterwards.
struct Judging {
  std::string_view doing;  ///< For the progress bar.
  Crew* crew = nullptr;    ///< None: this process alone, and nothing is kept in a journal.
};
[[nodiscard]] Status judge_recording(const DiagnoseOptions& options, AnalysisSetup& setup,
                                     const Judging& judging, analyse::Diagnoser& diagnoser);

}  // namespace laggard::cmd
