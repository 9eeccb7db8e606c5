#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/missing.h"
#include "detect/peer/judge/group_judge.h"
#include "model/cell_series.h"
#include "model/grid.h"
#include "model/metric.h"

namespace laggard::detect {

/// A window of a group and the cell at which it was complete. Its position is not known yet: that takes the
/// gaps of the whole recording before it (GapClock).
struct JudgedWindow {
  std::size_t group = 0;
  std::int64_t cell = 0;
  WindowJudgement window;
};

/// A member that was slow in one short window, as the ratio detector saw it (ratio/latency_ratio.h), or far
/// off in one cell, as the burst detector did (burst/burst_watch.h).
struct SlowMember {
  std::size_t group = 0;
  std::size_t member = 0;
  std::int64_t cell = 0;  ///< The last one of the window.
  const MetricSpec* metric = nullptr;
  double latency = 0;  ///< In the metric's unit; of a burst its value.
  double peers = 0;    ///< The same of its peers.
  double ratio = 0;    ///< Of the two, from which it was slow.
  /// What it moved, as a Fact says it of kStorageMoved; missing where that was not recorded.
  double moved = kMissing;
  double moved_by_peers = kMissing;
  double moved_scatter = kMissing;
};

/// Cells that follow each other, in which something was recorded, and the windows that were complete at them:
/// by cell, and of one cell in the order of Pipeline::Sink. What is told of a recording run by run, in order,
/// is all that a diagnosis needs of it; so this is what ranks send and checkpoints keep (frame_log.h).
struct JudgedRun {
  CellRuns::Run run;
  std::vector<JudgedWindow> windows;
  /// What hosts moved, a row per cell (HostLoads): what their clocks are told by. Empty: nobody asked.
  std::vector<double> loads;
  std::vector<SlowMember> slow;      ///< By cell, and of one cell in the order of groups.
  std::vector<SlowMember> bursts{};  ///< The same.
  /// The same as `windows` of the other length, where two are judged side by side.
  std::vector<JudgedWindow> beside{};
};

/// Sees the columns that are compared, before they are smoothed: for what is to be learned of a recording
/// beside who differs, in the same pass. Called on one thread, run by run, in the order of time.
class CellObserver {
 public:
  virtual ~CellObserver() = default;

  /// One metric of a group over the cells of a run: row by row, a number per member, NaN where missing. The
  /// rows stay until `end_run` returns.
  virtual void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
                       std::span<const double> rows) = 0;

  /// All groups have been seen over the run.
  virtual void end_run(const CellRuns::Run& run) = 0;
};

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
  /// The first cell in which something was recorded at that position or after it.
  [[nodiscard]] std::int64_t cell_at(std::int64_t position) const;

  /// The last cell that was noted.
  [[nodiscard]] std::optional<std::int64_t> last() const { return last_; }

  /// Its state (base/state_codec.h), for one with the same `longest`.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.resumptions_, self.last_);
  }

 private:
  /// After each gap: the first cell, and the cells in which nothing was recorded so far.
  struct Resumption {
    std::int64_t cell = 0;
    std::int64_t lost = 0;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.cell, self.lost);
    }
  };
  std::int64_t longest_;
  std::vector<Resumption> resumptions_;
  std::optional<std::int64_t> last_;
};

}  // namespace laggard::detect
