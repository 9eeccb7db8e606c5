#pragma once

#include <cstddef>

namespace laggard::lab {

/// A span of probabilities.
struct Interval {
  double low = 0;
  double high = 1;
  [[nodiscard]] bool holds(double p) const { return p >= low && p <= high; }
};

/// P(X <= k) for X ~ Binomial(n, p), summed term by term. Requires k <= n.
[[nodiscard]] double binomial_cdf(std::size_t k, std::size_t n, double p);

/// Clopper and Pearson's exact interval: all p under which neither "k or fewer" nor "k or more" of n is rarer
/// than (1 - confidence) / 2. k = 0 and k = n give the one-sided ends 0 and 1. n = 0: [0, 1]. Requires k <=
/// n.
[[nodiscard]] Interval clopper_pearson(std::size_t k, std::size_t n, double confidence = 0.95);

/// Fisher's exact test of two samples, two-sided: how likely tables with these margins are that are not
/// likelier than k of n beside l of m, when both come of one probability. 1 where n or m is 0. Requires k <=
/// n, l <= m.
[[nodiscard]] double fisher_exact(std::size_t k, std::size_t n, std::size_t l, std::size_t m);

}  // namespace laggard::lab
