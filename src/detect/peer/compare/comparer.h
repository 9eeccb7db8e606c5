#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "detect/peer/compare/bins.h"
#include "detect/peer/compare/sorted_window.h"

namespace laggard::detect {

enum class Distance : std::uint8_t { kCdf, kWasserstein, kKl, kMedian, kThresh };
[[nodiscard]] std::string_view to_name(Distance distance);  // cdf, wasserstein, kl, median, thresh
[[nodiscard]] std::optional<Distance> distance(std::string_view name);

struct CompareOptions {
  BinRule bins;
  /// `kl` only: added to the count of every bin, so that no bin is empty (F is silent on empty bins).
  double kl_smoothing = 0.5;
  /// Compare pairs within rotating partitions of about so many components (partitions.h); 0: all with all.
  /// `median` and `thresh`, which look at no pairs, never do.
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
  virtual void load(const SortedWindow& window) = 0;

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

}  // namespace laggard::detect
