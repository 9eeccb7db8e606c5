#include "stats/ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace laggard::stats {

double log2_ratio(double value, double reference) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == reference) return 0;
  if (reference == 0) return kInfinity;
  if (value == 0) return -kInfinity;
  // A difference of logarithms, because the quotient can overflow where its logarithm does not.
  return std::log2(value) - std::log2(reference);
}

double clipped_log2_ratio(double value, double reference, double low, double high) {
  return std::clamp(log2_ratio(value, reference), low, high);
}

}  // namespace laggard::stats
