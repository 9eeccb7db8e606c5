#include "lab/score/binomial.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab {

double binomial_cdf(std::size_t k, std::size_t n, double p) {
  LAGGARD_CHECK(k <= n);
  if (p <= 0 || k == n) return 1;
  if (p >= 1) return 0;
  const auto trials = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i);
    const double log_ways = std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1);
    sum += std::exp(log_ways + x * std::log(p) + (trials - x) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

namespace {

/// The p in [0, 1] at which a falling function of it passes `value`.
template <typename Falling>
double solve(const Falling& f, double value) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) > value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval clopper_pearson(std::size_t k, std::size_t n, double confidence) {
  LAGGARD_CHECK(k <= n);
  if (n == 0) return {};
  const double tail = (1 - confidence) / 2;
  Interval interval;
  // P(X >= k) = 1 - P(X <= k-1) rises with p.
  if (k > 0) interval.low = solve([&](double p) { return binomial_cdf(k - 1, n, p); }, 1 - tail);
  if (k < n) interval.high = solve([&](double p) { return binomial_cdf(k, n, p); }, tail);
  return interval;
}

}  // namespace laggard::lab
