#include "lab/score/netbouncer.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab {

namespace {

constexpr double kLambda = 1;  ///< As in the paper's evaluation.
constexpr int kMostRounds = 50;
constexpr double kSettled = 1e-4;

using Path = std::vector<std::size_t>;

/// Of the other units of a path.
double product_without(const Path& path, std::size_t unit, std::span<const double> health) {
  double product = 1;
  for (const std::size_t other : path) {
    if (other != unit) product *= health[other];
  }
  return product;
}

/// The paper's start: the mean of the paths that pass it.
double mean_success(std::span<const std::size_t> on, std::span<const double> success) {
  double sum = 0;
  for (const std::size_t p : on) sum += success[p];
  return on.empty() ? 1 : sum / static_cast<double>(on.size());
}

/// Of x the least of a x^2 - 2 b x + lambda (x - x^2), with a the sum of c^2 and b that of c y over the paths
/// that pass the unit, c being the product of the others. Where that is concave it is at an end.
double best_health(std::size_t unit, std::span<const std::size_t> on, std::span<const Path> paths,
                   std::span<const double> success, std::span<const double> health) {
  double with = 0;
  double square = 0;
  for (const std::size_t p : on) {
    const double others = product_without(paths[p], unit, health);
    with += others * success[p];
    square += others * others;
  }
  const double bend = square - kLambda;
  if (bend > 0) return std::clamp((with - kLambda / 2) / bend, 0.0, 1.0);
  return square - 2 * with < 0 ? 1 : 0;
}

}  // namespace

std::vector<double> netbouncer(std::span<const std::vector<std::size_t>> paths,
                               std::span<const double> success, std::size_t units) {
  std::vector<std::vector<std::size_t>> on(units);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (const std::size_t unit : paths[p]) on[unit].push_back(p);
  }
  std::vector<double> health(units, 1);
  for (std::size_t u = 0; u < units; ++u) health[u] = mean_success(on[u], success);
  for (int round = 0; round < kMostRounds; ++round) {
    double change = 0;
    for (std::size_t u = 0; u < units; ++u) {
      if (on[u].empty()) continue;
      const double best = best_health(u, on[u], paths, success, health);
      change = std::max(change, std::abs(best - health[u]));
      health[u] = best;
    }
    if (change < kSettled) break;
  }
  return health;
}

}  // namespace laggard::lab
