#include "stats/rand_index.h"

#include <map>
#include <utility>

#include "base/error.h"

namespace laggard::stats {

namespace {

double pairs(double n) { return n * (n - 1) / 2; }

template <typename Counts>
double pairs_within(const Counts& counts) {
  double sum = 0;
  for (const auto& [name, count] : counts) sum += pairs(count);
  return sum;
}

}  // namespace

double adjusted_rand_index(std::span<const std::size_t> one, std::span<const std::size_t> other) {
  LAGGARD_CHECK(one.size() == other.size());
  std::map<std::size_t, double> rows;
  std::map<std::size_t, double> columns;
  std::map<std::pair<std::size_t, std::size_t>, double> cells;
  for (std::size_t i = 0; i < one.size(); ++i) {
    ++rows[one[i]];
    ++columns[other[i]];
    ++cells[{one[i], other[i]}];
  }
  const double in_rows = pairs_within(rows);
  const double in_columns = pairs_within(columns);
  const double all = pairs(static_cast<double>(one.size()));
  const double expected = all > 0 ? in_rows * in_columns / all : 0;
  const double most = (in_rows + in_columns) / 2;
  return most == expected ? 1 : (pairs_within(cells) - expected) / (most - expected);
}

}  // namespace laggard::stats
