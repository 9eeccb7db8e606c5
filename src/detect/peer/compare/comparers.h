#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "detect/peer/compare/comparer.h"

/// One factory per distance; users take `make_comparer`.
namespace laggard::detect {

/// `cdf`: d(P, Q) = sum over bins of |P_b - Q_b|, P and Q cumulative histograms in common bins (T §3.3), the
/// bin of missing samples the last. With b_k(i) the bin of component i's k-th smallest sample this is exactly
/// (1/W) sum_k |b_k(i) - b_k(j)|: each step of P at b_k(i) is matched with a step of Q at b_k(j), and the two
/// differ by 1/W in the bins between them. So no histogram is built, and all sums are integers.
[[nodiscard]] std::unique_ptr<Comparer> make_cdf(const CompareOptions& options);

/// `wasserstein` (ours): mean_k |x_(k) - y_(k)| / BinSize over sorted samples, BinSize as for `cdf`: the same
/// area between two distribution functions without the error of binning. Missing samples lie half a bin
/// behind the last bin.
[[nodiscard]] std::unique_ptr<Comparer> make_wasserstein(const CompareOptions& options);

/// Sturges' number of bins: ceil(log2 W) + 1.
[[nodiscard]] std::uint32_t sturges_bins(std::size_t window_size);

/// `kl` (F §10.1): half of D(P||Q) + D(Q||P), which is 1/2 sum_b (P_b - Q_b) (ln P_b - ln Q_b), over
/// histograms in ceil(log2 W) + 1 equal bins (Sturges) between the lowest and the highest sample of the
/// window, and one more bin for missing samples if there are any. Of B bins P_b = (count_b + a) / (W + a B),
/// a = kl_smoothing: F does not say what it does with empty bins, in which the logarithm is infinite. With
/// FloorUse::kAlways (ours) bins are never smaller than the noise floor; what is beyond the last is in it.
[[nodiscard]] std::unique_ptr<Comparer> make_kl(const CompareOptions& options);

/// `median` (T §5.8): sum_t |x(t) - m(t)|, m(t) the median over the components that have a sample at t.
/// Scaled by W / (present samples), so that a gap does not make a component look healthier than it is.
[[nodiscard]] std::unique_ptr<Comparer> make_median();

/// `thresh` (T §5.8): the largest sample of the window.
[[nodiscard]] std::unique_ptr<Comparer> make_thresh();

}  // namespace laggard::detect
