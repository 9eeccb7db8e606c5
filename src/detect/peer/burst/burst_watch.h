#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/parameters.h"
#include "model/grid.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// Finds cells in which one member alone is far off for a moment (docs/methods/burst.md): requests that
/// stall, packets that are lost or wait when a link goes down for a second. What is over before a window ends
/// hides in its mean; that it comes back, always at the same member, does not (BurstFollower).
///
/// A member bursts in a cell, in one metric, when its value is
///   large   at least MetricSpec::least_burst,
///   alone   at least `least_ratio` times the largest of the others in that cell,
///   sudden  and as many times its own median over the `calm` cells before it, of which half were recorded.
/// It sees cells before they are smoothed. Cells longer than 5 s hide what is looked for: nobody looks then.
class BurstWatch final : public CellObserver {
 public:
  /// `grouping` and `workers` outlive this. \param grid  of the cells.
  BurstWatch(const Grouping& grouping, const BurstOptions& options, Grid grid, Workers* workers);

  void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
               std::span<const double> rows) override;
  void end_run(const CellRuns::Run& run) override;

  /// Adds the bursts of the run, which the pipeline has just handed out.
  void attach(JudgedRun& judged) const;

 private:
  /// One metric of a group.
  struct Track {
    const MetricSpec* metric = nullptr;
    std::span<const double> now;  ///< Rows of the run.
    std::vector<double> before;   ///< Rows of the `calm` cells before it, as far as there were any.
  };
  struct Group {
    std::vector<Track> tracks;
    std::vector<SlowMember> found;  ///< In the run.
  };

  void look(std::size_t group);
  void look_at(std::size_t group, const Track& track, std::vector<SlowMember>& found) const;
  [[nodiscard]] double calm_level(const Track& track, std::size_t members, std::size_t row,
                                  std::size_t member) const;
  void keep_rows(Track& track, std::size_t members) const;

  const Grouping& grouping_;
  BurstOptions options_;
  Workers* workers_;
  std::vector<Group> groups_;  ///< As in `grouping_`; none when nobody looks.
  CellRuns::Run run_;
};

}  // namespace laggard::detect
