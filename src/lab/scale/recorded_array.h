#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "lab/scale/array_model.h"
#include "lab/scale/server_recorder.h"

namespace laggard::lab::scale {

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
