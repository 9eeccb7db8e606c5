#include "lab/score/netbouncer.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab {

namespace {

constexpr double kLambda = 1;  ///< As in the paper's evaluation.
constexpr int kMostRounds = 50;
constexpr double kSettled = 1e-4;

/// Of the other units of a path.
double product_without(const std::vector<std::size_t>& path, std::size_t unit,
                       std::span<const double> health) {
  double product = 1;
  for (const std::size_t other : path) {
    if (other != unit) product *= health[other];
  }
  return product;
}

}  // namespace

std::vector<double> netbouncer(std::span<const std::vector<std::size_t>> paths,
                               std::span<const double> success, std::size_t units) {
  std::vector<std::vector<std::size_t>> on(units);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (const std::size_t unit : paths[p]) on[unit].push_back(p);
  }
  // The paper's start: the mean of the paths that pass it.
  std::vector<double> health(units, 1);
  for (std::size_t u = 0; u < units; ++u) {
    if (on[u].empty()) continue;
    double sum = 0;
    for (const std::size_t p : on[u]) sum += success[p];
    health[u] = sum / static_cast<double>(on[u].size());
  }
  for (int round = 0; round < kMostRounds; ++round) {
    double change = 0;
    for (std::size_t u = 0; u < units; ++u) {
      if (on[u].empty()) continue;
      double with = 0;
      double square = 0;
      for (const std::size_t p : on[u]) {
        const double others = product_without(paths[p], u, health);
        with += others * success[p];
        square += others * others;
      }
      // Of x: square x^2 - 2 with x + lambda (x - x^2); where it is concave its least value is at an end.
      const double bend = square - kLambda;
      double best = 0;
      if (bend > 0) {
        best = std::clamp((with - kLambda / 2) / bend, 0.0, 1.0);
      } else {
        best = square - 2 * with < 0 ? 1 : 0;
      }
      change = std::max(change, std::abs(best - health[u]));
      health[u] = best;
    }
    if (change < kSettled) break;
  }
  return health;
}

}  // namespace laggard::lab
