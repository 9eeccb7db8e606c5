#pragma once

#include <cstdint>
#include <vector>

#include "detect/peer/judge/group_judge.h"
#include "model/cell_series.h"

namespace laggard::detect {

/// A window of a group and the cell at which it was complete. Its position is not known yet: that takes the
/// gaps of the whole recording before it (GapClock).
struct JudgedWindow {
  std::size_t group = 0;
  std::int64_t cell = 0;
  WindowJudgement window;
};

/// Cells that follow each other, in which something was recorded, and the windows that were complete at them:
/// by cell, and of one cell in the order of Pipeline::Sink. What is told of a recording run by run, in order,
/// is all that a diagnosis needs of it; so this is what ranks send and checkpoints keep (frame_log.h).
struct JudgedRun {
  CellRuns::Run run;
  std::vector<JudgedWindow> windows;
  /// What hosts moved, a row per cell (HostLoads): what their clocks are told by. Empty: nobody asked.
  std::vector<double> loads;
};

}  // namespace laggard::detect
