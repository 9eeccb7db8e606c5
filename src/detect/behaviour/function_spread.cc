#include "detect/behaviour/function_spread.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "stats/quantile.h"

namespace laggard::detect {

std::vector<double> FunctionSpread::weights(const FeatureWindow& window, std::span<const std::size_t> hosts) {
  LAGGARD_CHECK(!hosts.empty());
  constexpr double kPartOfFloor = 0.01;
  constexpr double kCounts = 2;
  const double grain = window.grain > 0 ? window.grain : unit_.grain;
  std::vector<double> weights;
  weights.reserve(window.functions.size());
  std::vector<double> values(hosts.size());
  std::vector<double> scratch;
  for (std::size_t f = 0; f < window.functions.size(); ++f) {
    std::ranges::transform(hosts, values.begin(), [&](std::size_t host) { return window.of(host)[f]; });
    const double median = stats::median(values, scratch);
    const double spread = stats::kMadToSigma * stats::mad(values, scratch);
    const auto [known, is_new] = mean_.try_emplace(window.functions[f].value, spread);
    if (!is_new) known->second += kNewest * (spread - known->second);
    weights.push_back(1 / std::max({known->second, std::sqrt(grain * median), kCounts * grain,
                                    kLeastShare * median, kPartOfFloor * unit_.floor}));
  }
  return weights;
}

}  // namespace laggard::detect
