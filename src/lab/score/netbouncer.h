#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::lab {

/// NetBouncer (Tan et al., NSDI 2019, section 4), the baseline of K Table II: the success probability of each
/// unit that minimizes
///
///     sum over paths (y - prod x_i)^2 + lambda sum_i x_i (1 - x_i),    0 <= x_i <= 1
///
/// by coordinate descent, y being the share of a path's probes that succeeded. It knows neither alternatives
/// on a path nor what was before, so callers name one after the other all that a path may pass.
/// \param paths    the units of each path.
/// \param success  y of each path.
/// \param units    how many there are; those on no path are thought healthy.
[[nodiscard]] std::vector<double> netbouncer(std::span<const std::vector<std::size_t>> paths,
                                             std::span<const double> success, std::size_t units);

}  // namespace laggard::lab
