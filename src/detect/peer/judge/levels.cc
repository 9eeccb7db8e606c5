#include "detect/peer/judge/levels.h"

#include <algorithm>
#include <functional>

#include "base/missing.h"
#include "stats/median_of_others.h"

namespace laggard::detect {

const std::vector<double>* levels_of(std::span<const GroupJudge::Column> columns,
                                     std::span<const std::vector<double>> levels, Quantity quantity) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].metric->quantity == quantity) return &levels[c];
  }
  return nullptr;
}

double median_moved(std::span<const GroupJudge::Column> columns, std::span<const std::vector<double>> levels,
                    Resource resource) {
  const auto [one, other] = moved(resource);
  const std::vector<double>* a = levels_of(columns, levels, one);
  const std::vector<double>* b = levels_of(columns, levels, other);
  if (a == nullptr || b == nullptr) return kMissing;
  std::vector<double> sum(a->size());
  std::ranges::transform(*a, *b, sum.begin(), std::plus<>());
  return stats::median_of(sum);
}

}  // namespace laggard::detect
