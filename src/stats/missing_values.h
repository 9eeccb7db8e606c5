#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/missing.h"

namespace laggard::stats {

// Statistics of samples in which values may be missing (NaN), which are left out and never taken for zero.

/// The median of the numbers in `x` that are not NaN; NaN when there is none.
[[nodiscard]] double median_of(std::span<const double> x);

/// Leave-one-out medians: the standard that a suspect is held to must not depend on the suspect.
class MedianOfOthers {
 public:
  /// \param x  one number per component; NaN is missing.
  explicit MedianOfOthers(std::span<const double> x);

  /// Median over the components that are present, leaving out one whose number is `mine` (none when `mine` is
  /// NaN); NaN when none is left.
  [[nodiscard]] double without(double mine) const;

  /// How far apart the others are: the largest deviation of any of them from the median of its own others,
  /// with `mine` left out as above. Each is held against its others, so that two peers cannot vouch for each
  /// other. 0 for a single one, NaN when none is left.
  [[nodiscard]] double scatter_without(double mine) const;

 private:
  /// The index of `mine` in `sorted_`; past the end when none is left out.
  [[nodiscard]] std::size_t place_of(double mine) const;

  std::vector<double> sorted_;
};

/// sum_i += x_i and ++count_i where x_i is not missing (NaN). All of one length.
void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count);
/// The same where x_i is above zero.
void add_positive(std::span<const double> x, std::span<double> sum, std::span<double> count);
/// sum_i /= count_i: means, missing (0 / 0) where nothing was added. Both of one length.
void divide_by(std::span<double> sum, std::span<const double> count);

}  // namespace laggard::stats
