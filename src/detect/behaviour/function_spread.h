#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "detect/behaviour/feature_windows.h"

namespace laggard::detect {

/// How far servers are apart in each function while nothing is wrong: what B would weigh functions by (§6,
/// "Future Work": "divide a component by its standard deviation"). **Ours** is how that is had without
/// training: from the servers themselves, of which most are well.
///
/// The spread of a function is the largest of
///   - the mean over windows of 1.4826 MAD of its values over the servers, which no sick server moves,
///   - sqrt(grain x m), what sampling alone makes of a median m, when a count is worth `grain` (Poisson),
///     and two counts, since one that nobody else has means nothing,
///   - kLeastShare x m, since nothing is compared more closely than that,
///   - a hundredth of the floor, below which a function is not looked at.
class FunctionSpread {
 public:
  static constexpr double kLeastShare = 0.05;
  /// Of a window in the mean over windows, so that it is of the last five minutes or so.
  static constexpr double kNewest = 0.1;

  struct Unit {
    double floor = 0;  ///< As FeatureWindows has it.
    double grain = 0;  ///< What one count is worth, in the unit of the values.
  };
  explicit FunctionSpread(Unit unit) : unit_(unit) {}

  /// 1 / spread of each function of the window, after the window was learnt from.
  /// \param hosts  of the window; at least one
  [[nodiscard]] std::vector<double> weights(const FeatureWindow& window, std::span<const std::size_t> hosts);

  void forget() { mean_.clear(); }

 private:
  Unit unit_;
  std::unordered_map<std::uint32_t, double> mean_;  ///< Of the spread over windows, by function.
};

}  // namespace laggard::detect
