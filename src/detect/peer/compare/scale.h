#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "detect/peer/compare/comparer.h"
#include "stats/quantile.h"

namespace laggard::detect {

/// What the scores of one distance in one window are measured in (**ours**). Every distance has a unit of its
/// own; held against the group's own spread in the same window, in which a threshold without training is
/// stated, they become comparable:
///   position = (s - zero) / unit,   and a threshold of T bins is   zero + T unit.
///
/// | distance             | zero           | unit                                                      |
/// |----------------------|----------------|-----------------------------------------------------------|
/// | `cdf`, `wasserstein` | 0              | 1: they are in bins, which are made of the group's spread |
/// | `median`             | 0              | W BinSize: s / W is the mean difference to the median     |
/// | `thresh`             | median_i s_i   | BinSize: how far a maximum lies above the usual maximum   |
/// | `kl`                 | 0              | its ceiling: what two windows without a common bin score  |
///
/// With fewer than `mad_below` components that have samples the MAD stands in for the IQR, which makes bins
/// smaller by about 1.5 for Gaussian data; units made of bins are larger by as much then.
struct Scale {
  double zero = 0;
  double unit = 1;
  [[nodiscard]] double at(double position) const { return zero + position * unit; }
};

/// The most that `kl` can say of windows of W samples in B bins: all samples of one component in one bin, all
/// of the other in another. W / (W + a B) ln((W + a) / a), a the smoothing; in nats.
[[nodiscard]] double kl_ceiling(std::size_t window_size, bool gaps, double smoothing);

/// Finds scales; keeps scratch memory only.
class ScaleMaker {
 public:
  /// \param scores  of all components of `window` by `distance`; NaN where it says nothing.
  /// Without any sample in the window: {0, 1}.
  [[nodiscard]] Scale make(Distance distance, const CompareOptions& options, const SortedWindow& window,
                           std::span<const double> scores);

 private:
  std::vector<double> scratch_;
  stats::QuantileSelector selector_;
};

}  // namespace laggard::detect
