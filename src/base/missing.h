#pragma once

#include <limits>

namespace laggard {

/// What was not recorded, or cannot be said: never zero, and unequal to everything.
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace laggard
