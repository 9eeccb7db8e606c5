#pragma once

#include <cstddef>
#include <span>

#include "model/cell_series.h"
#include "model/metric.h"

namespace laggard::detect {

/// Sees the columns that are compared, before they are smoothed: for what is to be learned of a recording
/// beside who differs, in the same pass. Called on one thread, run by run, in the order of time.
class CellObserver {
 public:
  virtual ~CellObserver() = default;

  /// One metric of a group over the cells of a run: row by row, a number per member, NaN where missing.
  virtual void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
                       std::span<const double> rows) = 0;

  /// All groups have been seen over the run.
  virtual void end_run(const CellRuns::Run& run) = 0;
};

}  // namespace laggard::detect
