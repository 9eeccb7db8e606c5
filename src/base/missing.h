#pragma once

#include <limits>

namespace laggard {

/// A value that was not recorded or is not defined. Never zero, and unequal to everything, itself included.
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace laggard
