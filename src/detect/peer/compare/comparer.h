#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "detect/peer/compare/window.h"
#include "stats/quantile.h"

namespace laggard::detect {

/// When the metric's noise floor bounds the size of a bin from below.
enum class FloorUse : std::uint8_t {
  kWithoutSpread,  ///< Only where the samples have no spread of their own (docs/methods/peer.md).
  kAlways,
};

/// How the bins of a window are chosen.
struct BinRule {
  std::size_t cap = 1000;  ///< Largest number of bins (T §5.3).
  double noise_floor = 0;  ///< In the metric's unit: differences below it are noise (T §5.8.2).
  FloorUse floor_use = FloorUse::kWithoutSpread;
  /// With fewer components that have samples in the window, the MAD serves instead of the IQR, which one sick
  /// component could stretch (T §6.2.3).
  std::size_t mad_below = 5;
};

/// Common bins of all components in one window. Bin b holds [lowest + b size, lowest + (b+1) size); the
/// highest sample, which would fall on the edge behind the last bin, belongs to the last. Missing samples
/// have a bin of their own behind it, so that absence is distance (docs/methods/peer.md).
struct Bins {
  double lowest = 0;
  double size = 1;
  std::uint32_t count = 1;

  [[nodiscard]] std::uint32_t missing() const { return count; }
  /// \param x  a sample of the window, or NaN or +infinity for missing.
  [[nodiscard]] std::uint32_t bin_of(double x) const;
};

/// The rule of T §3.3 with the fallbacks of docs/methods/peer.md, x = all present samples of the window:
///   spread = IQR(x), or 1.4826 MAD(x) with fewer than `mad_below` components;
///   BinSize = 2 spread W^(-1/3); when the spread is 0: max(range / cap, noise floor), as is done for idle
///   groups, where more than half of all samples are one value; with `kAlways` never below the noise floor;
///   Bins = ceil(range / BinSize); when that exceeds the cap: Bins = cap, BinSize = range / cap.
/// When all samples are equal there is one bin. Requires at least one present sample.
[[nodiscard]] Bins choose_bins(SortedWindow& window, const BinRule& rule, std::vector<double>& scratch,
                               stats::QuantileSelector& selector);

enum class Distance : std::uint8_t { kCdf, kWasserstein, kKl, kMedian, kThresh };
[[nodiscard]] std::string_view to_name(Distance distance);  // cdf, wasserstein, kl, median, thresh
[[nodiscard]] std::optional<Distance> distance(std::string_view name);

struct CompareOptions {
  BinRule bins;
  /// `kl` only: added to the count of every bin, so that no bin is empty (F is silent on empty bins).
  double kl_smoothing = 0.5;
  /// Compare pairs within rotating partitions of about so many components (make_partitioned); 0: all with
  /// all. `median` and `thresh`, which look at no pairs, never do.
  std::size_t partition = 0;
};

/// Which of n sorted pairwise distances "more than half exceed" turns on: 0-based rank among the n - 1
/// distances of a component. More than half of them exceed T exactly when the ceil((n-1)/2)-th smallest does.
[[nodiscard]] constexpr std::size_t score_rank(std::size_t components) {
  return components < 2 ? 0 : components / 2 - 1;
}

/// Compares the components of a window with each other.
///
/// The *score* s_i of component i is the ceil((n-1)/2)-th smallest of its n - 1 pairwise distances (`cdf`,
/// `wasserstein`, `kl`), or its scalar (`median`, `thresh`). In all cases: anomalous exactly when s_i > T_i.
/// A score is NaN when nothing can be said: for `median` and `thresh` of a component without samples in the
/// window (the others count absence as distance), and in a group of one.
///
/// Holds scratch memory only: what it says depends on the window alone.
class Comparer {
 public:
  virtual ~Comparer() = default;

  /// Another BinRule::noise_floor for the windows that are loaded from now on: one comparer, whose memory is
  /// there, serves all metrics of a group. `median` and `thresh`, which have no bins, pay no heed.
  virtual void set_noise_floor(double floor) = 0;

  /// Makes `window` the one that is asked about; it must outlive the questions.
  virtual void load(SortedWindow& window) = 0;

  /// \param s  n exact scores.
  virtual void scores(std::span<double> s) = 0;

  /// Exact scores only where they matter, which is cheaper by an order of magnitude in large groups.
  /// \param floor  n numbers >= 0.
  /// \param s      the score where it exceeds floor_i; elsewhere some number from it up to floor_i.
  virtual void scores_above(std::span<const double> floor, std::span<double> s);

  /// \param flagged  n: 1 where s_i > threshold_i, else 0 (also where the score is NaN).
  virtual void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged);

  /// The distances behind the score of one component, for showing them.
  /// \param d  n distances to each component, NaN at the component itself; for `median` and `thresh`, which
  ///           compare with no single peer, every component's own scalar.
  virtual void distances(std::size_t component, std::span<double> d) = 0;

 protected:
  Comparer() = default;
  Comparer(const Comparer&) = default;
  Comparer& operator=(const Comparer&) = default;
  Comparer(Comparer&&) = default;
  Comparer& operator=(Comparer&&) = default;
};

[[nodiscard]] std::unique_ptr<Comparer> make_comparer(Distance distance, const CompareOptions& options);

// One factory per distance; users take `make_comparer`.

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

/// F §11.1's way to O(n): the components of a large group compared only within partitions of about so many,
/// whose membership is another in every window, so that nobody stays among those who are sick as he is.
///
/// n / size partitions (rounded down, at least one), equal in size but for one member. Who is in which is
/// drawn for the window: the same window, group size and partition size give the same partitions everywhere.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> partitions(std::size_t components, std::size_t size,
                                                                 std::int64_t window);

/// `distance` within partitions: scores and distances are those of the partition's own window, bins too; NaN
/// between partitions, and where nobody of a partition has a sample. Groups of fewer than two partitions are
/// compared whole. Our own exact comparison of the whole (methods/peer.md) is faster than all pairs too: this
/// exists for comparison with F, and where W n log n is too much.
[[nodiscard]] std::unique_ptr<Comparer> make_partitioned(Distance distance, const CompareOptions& options);

/// What the scores of one distance in one window are measured in (**ours**). Every distance has a unit of its
/// own; held against the group's own spread in the same window, in which a threshold without training is
/// stated, they become comparable:
///   position = (s - zero) / unit,   and a threshold of T bins is   zero + T unit.
///
/// | distance             | zero           | unit                                                      |
/// |----------------------|----------------|-----------------------------------------------------------|
/// | `cdf`, `wasserstein` | 0              | 1: they are in bins, which are made of the group's spread |
/// | `median`             | 0              | W BinSize: s / W is the mean difference to the median     |
/// | `thresh`             | median_i s_i   | BinSize: how far a maximum lies above the usual maximum   |
/// | `kl`                 | 0              | its ceiling: what two windows without a common bin score  |
///
/// With fewer than `mad_below` components that have samples the MAD stands in for the IQR, which makes bins
/// smaller by about 1.5 for Gaussian data; units made of bins are larger by as much then.
struct Scale {
  double zero = 0;
  double unit = 1;
  [[nodiscard]] double at(double position) const { return zero + position * unit; }
};

/// The most that `kl` can say of windows of W samples in B bins: all samples of one component in one bin, all
/// of the other in another. W / (W + a B) ln((W + a) / a), a the smoothing; in nats.
[[nodiscard]] double kl_ceiling(std::size_t window_size, bool gaps, double smoothing);

/// Finds scales; keeps scratch memory only.
class ScaleMaker {
 public:
  /// \param scores  of all components of `window` by `distance`; NaN where it says nothing.
  /// Without any sample in the window: {0, 1}.
  [[nodiscard]] Scale make(Distance distance, const CompareOptions& options, SortedWindow& window,
                           std::span<const double> scores);

 private:
  std::vector<double> scratch_;
  stats::QuantileSelector selector_;
};

}  // namespace laggard::detect
