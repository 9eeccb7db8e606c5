#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/skew/clock_options.h"
#include "detect/peer/skew/host_circles.h"
#include "detect/peer/skew/host_loads.h"
#include "model/grouping.h"

namespace laggard::detect {

/// Looks on while a part is judged (Part), so that with the windows of a run comes what clocks are told by:
/// whoever hears of a recording run by run watches the clocks too.
class RunLoads {
 public:
  RunLoads(const Grouping& grouping, const ClockOptions& options);
  RunLoads(const RunLoads&) = delete;
  RunLoads& operator=(const RunLoads&) = delete;

  /// Numbers per cell; 0: nobody looks at clocks.
  [[nodiscard]] static std::size_t row(const Grouping& grouping, const ClockOptions& options);

  /// For the pipeline; null when nobody looks at clocks.
  [[nodiscard]] CellObserver* observer() { return watched_ ? &loads_ : nullptr; }

  /// Adds the loads of its cells to a run that the pipeline has just handed out.
  void attach(JudgedRun& judged) const;

 private:
  bool watched_;
  HostCircles circles_;
  HostLoads loads_;
  CellRuns::Run run_;  ///< That was seen last, and its rows.
  std::vector<double> rows_;
};

}  // namespace laggard::detect
