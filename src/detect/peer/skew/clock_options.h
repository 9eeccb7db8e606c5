#pragma once

#include <cstdint>

namespace laggard::detect {

/// Every number on which it depends what is said of clocks (docs/methods/skew.md).
struct ClockOptions {
  /// Shifts that are looked at, in cells to either side; 0: clocks are not looked at.
  std::int64_t reach = 60;
  /// Every shift that is not part of the answer must fit worse by so many standard errors.
  double sigmas = 4;
  /// From here on a clock is called off, in cells. No comparison notices less than that.
  std::int64_t least = 2;
  /// A host's load moved when it did so by more than this share of its mean move.
  double least_move = 0.25;
};

}  // namespace laggard::detect
