#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/error.h"
#include "lab/scale/load.h"
#include "lab/scale/plan.h"
#include "model/series_source.h"

namespace laggard::lab::scale {

/// Makes the counters of a whole site. Jobs ask every array for its share, whatever the others do (T §6.2.1:
/// the storage is never what they wait for), so that arrays are made one by one: the same spec gives the same
/// samples, whatever the order of arrays and the number of threads. Clients that copy (T §6.3) wait for all
/// arrays, which are made together.
class Generator {
 public:
  explicit Generator(ScaleSpec spec);
  /// With a given plan instead of one drawn from the seed.
  Generator(ScaleSpec spec, Plan plan);

  [[nodiscard]] const ScaleSpec& spec() const { return spec_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

  /// Writes the samples of all servers of one array, in stretches of `kStretch` samples, so that memory does
  /// not grow with the duration. Arrays may be written concurrently to different sinks. \param progress
  /// called from any thread with the number of samples since the last call.
  /// Requires a workload of jobs.
  [[nodiscard]] Status write_array(std::size_t array, TableSink& sink,
                                   const std::function<void(std::size_t)>& progress) const;
  /// The same for all arrays; requires clients that copy.
  [[nodiscard]] Status write_together(TableSink& sink,
                                      const std::function<void(std::size_t)>& progress) const;

  static constexpr std::size_t kStretch = 240;

 private:
  [[nodiscard]] std::vector<Effect> effects_on(std::size_t array) const;

  ScaleSpec spec_;
  Plan plan_;
  std::vector<FileSystemLoad> loads_;  ///< Per pool.
};

}  // namespace laggard::lab::scale
