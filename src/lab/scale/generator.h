#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/scale/load.h"
#include "lab/scale/plan.h"
#include "model/series_source.h"

namespace laggard::lab::scale {

/// A file server's recorder: stamps samples with the server's own clock, records nothing while the server is
/// down, and names another boot afterwards.
class ServerRecorder {
 public:
  ServerRecorder(const ScaleSpec& spec, const Plan& plan, std::size_t array, std::size_t server);

  /// An empty table of samples first .. first+rows-1: all LUNs of the array, this server's times.
  [[nodiscard]] SampleTable table(std::size_t first, std::size_t rows) const;

  /// Writes the rows of `table` that were recorded.
  [[nodiscard]] Status write(const SampleTable& table, std::size_t first, TableSink& sink) const;

  /// Facts of the devices.
  [[nodiscard]] Status describe(TableSink& sink) const;

 private:
  [[nodiscard]] WallTime clock(Seconds t) const;
  /// How often the server was booted before `t`; nothing while it is down.
  [[nodiscard]] std::optional<std::size_t> boot_at(Seconds t) const;

  const ScaleSpec& spec_;
  std::string host_;
  std::vector<std::string> devices_;
  std::vector<Outage> outages_;
  std::vector<ClockStep> steps_;
  Duration phase_;  ///< When it samples within a second.
};

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
