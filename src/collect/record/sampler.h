#pragma once

#include <vector>

#include "base/clock.h"
#include "collect/record/batch.h"
#include "model/series_source.h"

namespace laggard::collect {

/// The time of a sample: now, to the microsecond. Finer digits are noise that the archive would have to keep.
[[nodiscard]] inline WallTime sample_time(Clock& clock) {
  return floor_to(clock.wall(), std::chrono::microseconds(1));
}

/// Reads the devices of one kind, again and again.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Reads the machine once and adds a row to the batch, with the wall time taken right at the reading. When
  /// the reading fails there is no row: the samples are missing, and the sampler says why once.
  virtual void sample(Clock& clock) = 0;

  [[nodiscard]] virtual Batch& batch() = 0;

  /// Facts of devices that are new or have changed since the last call.
  [[nodiscard]] virtual std::vector<DeviceInfo> take_facts() = 0;

  /// Devices that the last sample showed.
  [[nodiscard]] virtual std::size_t devices() const = 0;
};

}  // namespace laggard::collect
