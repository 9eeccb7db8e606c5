#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/missing.h"

namespace laggard::stats {

/// Median of the numbers in `x` that are not NaN; NaN when there is none.
[[nodiscard]] double median_of(std::span<const double> x);

/// Medians of all but one: what the peers of a suspect do must not depend on the suspect.
class MedianOfOthers {
 public:
  /// \param x  one number per component; NaN is missing.
  explicit MedianOfOthers(std::span<const double> x);

  /// Median over the components that are present, one whose own number is `mine` left out (none when `mine`
  /// is NaN); NaN when nobody is left.
  [[nodiscard]] double without(double mine) const;

  /// How far the others are apart: the largest of their deviations from the median of the rest, `mine` left
  /// out as above. Each against the others of it, so that two peers do not vouch for each other; of a single
  /// other one it is 0. NaN when nobody is left.
  [[nodiscard]] double scatter_without(double mine) const;

 private:
  /// Where one that is `mine` stands; past the end when none is left out.
  [[nodiscard]] std::size_t place_of(double mine) const;

  std::vector<double> sorted_;
  /// The latest answer: idle members have all the same number.
  mutable double last_mine_ = kMissing;
  mutable double last_answer_ = 0;
};

/// sum_i += x_i and ++count_i where x_i is not missing (NaN). All of one length.
void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count);

}  // namespace laggard::stats
