#include "stats/beta.h"

#include <cmath>

namespace laggard::stats {

namespace {

/// The continued fraction, by the modified Lentz method. Converges quickly for x < (a + 1) / (a + b + 2).
double continued_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr double kPrecision = 1e-14;
  constexpr int kMost = 10'000;
  const auto safe = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / safe(1 - (a + b) * x / (a + 1));
  double product = d;
  for (int m = 1; m <= kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    product *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    product *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return product;
}

}  // namespace

double beta_probability_below(double x, double a, double b) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * continued_fraction(x, a, b) / a;
  return 1 - front * continued_fraction(1 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b) {
  double low = 0;
  double high = 1;
  constexpr double kPrecision = 1e-9;
  while (high - low > kPrecision) {
    const double middle = (low + high) / 2;
    (beta_probability_below(middle, a, b) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace laggard::stats
