#include "lab/score/binomial.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab {

namespace {

/// ln of the number of ways to choose k of n.
double log_ways(std::size_t k, std::size_t n) {
  const auto trials = static_cast<double>(n);
  const auto x = static_cast<double>(k);
  return std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1);
}

}  // namespace

double binomial_cdf(std::size_t k, std::size_t n, double p) {
  LAGGARD_CHECK(k <= n);
  if (p <= 0 || k == n) return 1;
  if (p >= 1) return 0;
  const auto trials = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(log_ways(i, n) + x * std::log(p) + (trials - x) * std::log1p(-p));
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

double fisher_exact(std::size_t k, std::size_t n, std::size_t l, std::size_t m) {
  LAGGARD_CHECK(k <= n && l <= m);
  const std::size_t both = k + l;
  const auto log_likelihood = [&](std::size_t x) {
    return log_ways(x, n) + log_ways(both - x, m) - log_ways(both, n + m);
  };
  // Tables that are as likely differ by rounding.
  const double limit = log_likelihood(k) + 1e-9;
  double sum = 0;
  for (std::size_t x = both > m ? both - m : 0; x <= std::min(n, both); ++x) {
    const double log_p = log_likelihood(x);
    if (log_p <= limit) sum += std::exp(log_p);
  }
  return std::min(1.0, sum);
}

}  // namespace laggard::lab
