#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "model/grid.h"

namespace laggard::detect {

/// A clock, in grid cells, that stands still where nothing was recorded for longer than a window: the
/// positions of windows (WindowJudgement::position).
class GapClock {
 public:
  /// \param longest  cells without a sample that are time like any other: a window's size.
  explicit GapClock(std::size_t longest) : longest_(static_cast<std::int64_t>(longest)) {}

  /// Gives a run's windows their positions. Runs in order.
  void place(JudgedRun& judged, const Grid& grid);
  /// The same, and hands them out.
  void take(JudgedRun& judged, const Grid& grid,
            const std::function<void(std::size_t group, const WindowJudgement&)>& sink);

  /// The next cells in which something was recorded, in order. A gap lies between two of them.
  void note(const CellRuns::Run& run);

  /// Of a window that starts with this cell's end and is complete at a cell that was noted last.
  [[nodiscard]] std::int64_t position(std::int64_t cell) const;

 private:
  /// After each gap: the first cell, and the cells in which nothing was recorded so far.
  struct Resumption {
    std::int64_t cell = 0;
    std::int64_t lost = 0;
  };
  std::int64_t longest_;
  std::vector<Resumption> resumptions_;
  std::optional<std::int64_t> last_;
};

}  // namespace laggard::detect
