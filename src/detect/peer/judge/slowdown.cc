#include "detect/peer/judge/slowdown.h"

#include <algorithm>

#include "base/missing.h"
#include "detect/peer/judge/levels.h"
#include "stats/median_of_others.h"

namespace laggard::detect {

std::vector<double> slowdown_of(const WindowJudgement& window, std::span<const GroupJudge::Column> columns) {
  const std::vector<double>* busy = levels_of(columns, window.levels, Quantity::kBusyTime);
  const std::vector<double>* requests = levels_of(columns, window.levels, Quantity::kRequests);
  if (busy == nullptr || requests == nullptr) return {};
  std::vector<double> in_all(busy->size(), kMissing);
  std::vector<double> with_each(busy->size(), kMissing);
  for (std::size_t i = 0; i < in_all.size(); ++i) {
    if (!((*busy)[i] > 0 && (*requests)[i] > 0)) continue;
    in_all[i] = (*busy)[i];
    with_each[i] = (*busy)[i] / (*requests)[i];
  }
  const stats::MedianOfOthers all(in_all);
  const stats::MedianOfOthers each(with_each);
  std::vector<double> slowdown;
  for (std::size_t i = 0; i < in_all.size(); ++i) {
    slowdown.push_back(
        std::max(in_all[i] / all.without(in_all[i]), with_each[i] / each.without(with_each[i])));
  }
  return slowdown;
}

void ask_for_magnitude(std::span<const double> slowdown, const Parameters& parameters, double saturated,
                       std::span<double> thresholds) {
  for (std::size_t i = 0; i < slowdown.size(); ++i) {
    if (slowdown[i] < parameters.least_slowdown) thresholds[i] = std::max(thresholds[i], saturated);
  }
}

}  // namespace laggard::detect
