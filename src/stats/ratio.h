#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace laggard::stats {

/// log2(value / reference), the scale on which "twice as slow" and "half as fast" are equally far.
/// Both must be >= 0. Where the ratio has no logarithm the sign still says which is larger: +infinity for a
/// positive value over 0, -infinity for 0 over a positive reference, and 0 for 0 over 0.
[[nodiscard]] inline double log2_ratio(double value, double reference) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == reference) return 0;
  if (reference == 0) return kInfinity;
  if (value == 0) return -kInfinity;
  // A difference of logarithms, because the quotient can overflow where its logarithm does not.
  return std::log2(value) - std::log2(reference);
}

/// As `log2_ratio` but held within [low, high].
[[nodiscard]] inline double clipped_log2_ratio(double value, double reference, double low, double high) {
  return std::clamp(log2_ratio(value, reference), low, high);
}

}  // namespace laggard::stats
