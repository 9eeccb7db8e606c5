#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::stats {

struct LocalOutlierOptions {
  std::size_t neighbours = 20;  ///< k; all others where there are fewer.
  /// Points that are nearer to each other than this are as if they were that far apart, more than 0.
  double resolution = 1;
};

/// Local outlier factors (Breunig, Kriegel, Ng & Sander 2000): how much thinner it is around a point than
/// around its neighbours. About 1 in a crowd, however dense that is, and much more for what stands alone.
///
///     k-distance(p) = distance of p to the k-th nearest of the others
///     N(p)          = all others that are no farther away, ties too
///     reach(p, o)   = max(k-distance(o), |p - o|, resolution)
///     lrd(p)        = 1 / mean over o in N(p) of reach(p, o)
///     LOF(p)        = mean over o in N(p) of lrd(o) / lrd(p)
///
/// The resolution is ours: without it the density of points that coincide is infinite, and whatever lies next
/// to them an outlier.
/// \param points      row by row, `dimensions` finite numbers each, in units in which they can be compared;
///                    dimensions >= 1.
/// \return  one for each point; 1 where there is no other.
[[nodiscard]] std::vector<double> local_outlier_factors(std::span<const double> points,
                                                        std::size_t dimensions,
                                                        const LocalOutlierOptions& options);

}  // namespace laggard::stats
