#pragma once

#include <cstddef>
#include <vector>

#include "lab/scale/plan.h"
#include "lab/sim/random.h"

namespace laggard::lab::scale {

/// Requests per second that the file system sends to every LUN of a pool: it stripes over them, so that their
/// load is common (T §5.1.1). Light and bursty, as T §6.2.1 found Intrepid: jobs come and go; they write
/// checkpoints in bursts or read for a while, and in between there is next to nothing.
class FileSystemLoad {
 public:
  FileSystemLoad(const ScaleSpec& spec, std::size_t pool);

  /// Means over the interval that ends with sample `i` (1 .. samples-1), for a LUN of weight 1.
  [[nodiscard]] double reads(std::size_t i) const { return reads_[i]; }
  [[nodiscard]] double writes(std::size_t i) const { return writes_[i]; }

 private:
  void add_job(const ScaleSpec& spec, Random& random);
  /// Adds `rate` to `series` during [from, to) seconds.
  void add(std::vector<double>& series, double rate, double from, double to) const;

  double interval_;
  std::vector<double> reads_;
  std::vector<double> writes_;
};

}  // namespace laggard::lab::scale
