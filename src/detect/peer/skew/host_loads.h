#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "detect/peer/judge/cell_observer.h"
#include "detect/peer/skew/host_circles.h"

namespace laggard::detect {

/// What hosts moved, cell by cell: per host and kind of traffic the sum over all its members of the circle's
/// groups, of those that are known; NaN where none is.
class HostLoads final : public CellObserver {
 public:
  /// Gets a row (HostCircles::row) per cell of the run.
  using Sink = std::function<void(const CellRuns::Run& run, std::span<const double> loads)>;

  /// `circles` outlives this.
  HostLoads(const HostCircles& circles, Sink sink) : circles_(circles), sink_(std::move(sink)) {}

  void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
               std::span<const double> rows) override;
  void end_run(const CellRuns::Run& run) override;

 private:
  void begin_run(const CellRuns::Run& run);

  const HostCircles& circles_;
  Sink sink_;
  bool begun_ = false;
  std::vector<double> loads_;
};

}  // namespace laggard::detect
