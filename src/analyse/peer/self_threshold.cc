#include "analyse/peer/self_threshold.h"

#include <algorithm>
#include <cmath>

#include "stats/quantile.h"

namespace laggard::analyse {

std::optional<double> self_threshold(std::span<const double> s, const SelfThresholdSpec& spec,
                                     std::vector<double>& scratch) {
  scratch.clear();
  std::copy_if(s.begin(), s.end(), std::back_inserter(scratch), [](double x) { return !std::isnan(x); });
  if (scratch.empty()) return std::nullopt;
  const double usual = stats::median_in_place(scratch);
  for (double& x : scratch) x = std::abs(x - usual);
  const double spread = stats::kMadToSigma * stats::median_in_place(scratch);
  return std::max(spec.least, usual + spec.spreads * spread);
}

}  // namespace laggard::analyse
