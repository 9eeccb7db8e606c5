#include "analyse/judge/levels.h"

#include <algorithm>
#include <functional>

#include "analyse/judge/peers.h"
#include "base/missing.h"

namespace laggard::analyse {

const std::vector<double>* levels_of(std::span<const GroupJudge::Column> columns,
                                     std::span<const std::vector<double>> levels, std::string_view metric) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].metric->name == metric) return &levels[c];
  }
  return nullptr;
}

double median_of_sum(std::span<const GroupJudge::Column> columns, std::span<const std::vector<double>> levels,
                     std::string_view one, std::string_view other) {
  const std::vector<double>* a = levels_of(columns, levels, one);
  const std::vector<double>* b = levels_of(columns, levels, other);
  if (a == nullptr || b == nullptr) return kMissing;
  std::vector<double> sum(a->size());
  std::ranges::transform(*a, *b, sum.begin(), std::plus<>());
  return median_of(sum);
}

}  // namespace laggard::analyse
