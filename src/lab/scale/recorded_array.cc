#include "lab/scale/recorded_array.h"

#include <utility>

namespace laggard::lab::scale {

RecordedArray::RecordedArray(const ScaleSpec& spec, const Plan& plan, std::size_t array,
                             std::vector<Effect> effects)
    : effects_(std::move(effects)), model_(spec, array, effects_) {
  for (std::size_t s = 0; s < spec.site.servers_per_array; ++s) recorders_.emplace_back(spec, plan, array, s);
}

Status RecordedArray::describe(TableSink& sink) const {
  for (const ServerRecorder& recorder : recorders_) {
    if (Status described = recorder.describe(sink); !described) return described;
  }
  return {};
}

void RecordedArray::begin(std::size_t first, std::size_t rows) {
  first_ = first;
  tables_.clear();
  tables_.reserve(recorders_.size());
  for (const ServerRecorder& recorder : recorders_) tables_.push_back(recorder.table(first, rows));
  model_.begin_rows(tables_);
}

Status RecordedArray::write(std::size_t rows, TableSink& sink) {
  model_.finish_rows(rows);
  for (std::size_t s = 0; s < recorders_.size(); ++s) {
    if (Status written = recorders_[s].write(tables_[s], first_, sink); !written) return written;
  }
  return {};
}

}  // namespace laggard::lab::scale
