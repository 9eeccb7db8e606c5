#pragma once

namespace laggard::stats {

/// P(X < x) of X ~ Beta(a, b): the regularized incomplete beta function I_x(a, b), by its continued fraction
/// (Abramowitz & Stegun 26.5.8), to about 1e-12.
/// \param a, b  > 0
/// \return 0 for x <= 0, 1 for x >= 1.
[[nodiscard]] double beta_probability_below(double x, double a, double b);

/// The x with P(X < x) = p of X ~ Beta(a, b), by bisection to 1e-9. \param p  in [0, 1]
[[nodiscard]] double beta_quantile(double p, double a, double b);

}  // namespace laggard::stats
