#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::stats {

/// The one quantile rule of this program: Q(p) = x_(a) + (h - a) (x_(a+1) - x_(a)) with h = (n-1) p, a =
/// floor(h), x_(0) <= ... <= x_(n-1). It is type 7 of Hyndman & Fan (1996), the default of R, in which the
/// thesis computed its IQRs. For p = 1/2 it is the usual median.

/// The quantile of samples that are already in ascending order.
/// \param sorted  n finite samples, ascending; requires n >= 1.
/// \param p       in [0, 1].
[[nodiscard]] double quantile_of_sorted(std::span<const double> sorted, double p);

/// The quantile of samples in any order.
/// \param x        n finite samples in one unit; requires n >= 1.
/// \param scratch  overwritten; kept by the caller so that nothing is allocated per call.
/// \return         in the unit of `x`; the sample itself when n = 1.
[[nodiscard]] double quantile(std::span<const double> x, double p, std::vector<double>& scratch);

/// quantile(x, 1/2).
[[nodiscard]] double median(std::span<const double> x, std::vector<double>& scratch);

/// As `median`, but reorders `x` itself. Requires n >= 1.
[[nodiscard]] double median_in_place(std::span<double> x);

/// Makes the median absolute deviation estimate sigma for Gaussian data: 1 / Phi^-1(3/4), rounded as the
/// literature does (Rousseeuw & Croux 1993).
inline constexpr double kMadToSigma = 1.4826;

/// Robust spread of `x` about its median: 1.4826 * median_i |x_i - median(x)|.
/// \param x  n finite samples in one unit, any order; requires n >= 1.
/// \return   in the unit of `x`; 0 when more than half of the samples are equal.
[[nodiscard]] double mad(std::span<const double> x, std::vector<double>& scratch);

/// Several quantiles of a large sample at once, exactly.
///
/// It brackets each of the ranks asked for by means of a small systematic sample, and then counts and
/// collects in one pass (Floyd & Rivest 1975); a rank that falls outside its bracket is selected from all
/// samples. The answer never depends on the sampling, only the time does.
class QuantileSelector {
 public:
  /// \param x   n finite samples, any order; requires n >= 1.
  /// \param p   probabilities; \param out one quantile each.
  void select(std::span<const double> x, std::span<const double> p, std::span<double> out);

  /// The same for the samples `x` together with `zeros` zeros that are not written out.
  struct WithZeros {
    std::span<const double> x;
    std::size_t zeros = 0;
  };
  void select_with_zeros(const WithZeros& samples, std::span<const double> p, std::span<double> out);

 private:
  /// Two successive order statistics are sought: x_(rank) and x_(rank + 1), or x_(rank) twice when it is the
  /// last. At first [low, high] is where they should be, in the end low and high are their values.
  struct Bracket {
    std::size_t rank = 0;
    double low = 0;
    double high = 0;
    std::size_t below = 0;  ///< How many samples are smaller.
    std::size_t kept = 0;   ///< How many lie in the bracket: the first `kept` of `inside`.
    std::vector<double> inside;
  };
  void set_brackets(std::span<const double> x);
  void fill_brackets(std::span<const double> x);
  void find_neighbours(std::span<const double> x);

  std::vector<double> sample_;
  std::vector<Bracket> brackets_;
  std::size_t used_ = 0;  ///< How many of the brackets are in use.
};

}  // namespace laggard::stats
