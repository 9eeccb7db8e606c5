#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/scale/array_model.h"
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

/// An array with the recorders of its servers, stretch by stretch: a stretch is begun, its rows are simulated
/// by `model`, and it is written.
class RecordedArray {
 public:
  RecordedArray(const ScaleSpec& spec, const Plan& plan, std::size_t array, std::vector<Effect> effects);
  RecordedArray(const RecordedArray&) = delete;
  RecordedArray& operator=(const RecordedArray&) = delete;

  /// Facts of all devices, once, before the first stretch.
  [[nodiscard]] Status describe(TableSink& sink) const;

  /// Begins the stretch of samples first .. first+rows-1.
  void begin(std::size_t first, std::size_t rows);
  /// Writes what each server has recorded of it.
  [[nodiscard]] Status write(std::size_t rows, TableSink& sink);

  [[nodiscard]] ArrayModel& model() { return model_; }

 private:
  std::vector<Effect> effects_;
  ArrayModel model_;
  std::vector<ServerRecorder> recorders_;
  std::vector<SampleTable> tables_;  ///< Of the stretch, per recorder.
  std::size_t first_ = 0;
};

}  // namespace laggard::lab::scale
