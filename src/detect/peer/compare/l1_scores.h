#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/missing.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect {

/// Sums that are wide enough for the distances between columns of elements.
template <typename Element>
struct L1Sum;
template <>
struct L1Sum<std::int16_t> {
  using Type = std::uint16_t;
};
template <>
struct L1Sum<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct L1Sum<double> {
  using Type = double;
};

/// The largest sum S for which S / W <= threshold, in doubles: so that S > sum_floor says exactly S / W >
/// threshold. A NaN threshold is exceeded by nothing.
template <typename Sum>
[[nodiscard]] Sum sum_floor(double threshold, std::size_t window_size);

/// Scores from L1 distances D_ij = sum_k |m(k, i) - m(k, j)| between the columns of a W x n matrix of order
/// statistics: s_i is the (score_rank + 1)-th smallest D_ij over j != i (comparer.h).
///
/// All pairs cost n^2 W. Most need not be looked at: with any pivot c, r_i = D(i, c), and r sorted,
///   s_i <= r_i + r_(rank+1)    as rank + 1 others lie within r_(rank+1) of the pivot, and
///   s_i >  F when r_i - r_(h+1) > F, h = floor((n-1)/2),  as then more than half are further than F.
/// The median of a sample of components, order statistic by order statistic, is a pivot so central that in an
/// ordinary window nearly all healthy components are decided by the first bound and the sick by the second.
///
/// Element: int16_t (all m in [0, 2^15), W max(m) < 2^16), int32_t (W max(m) < 2^32) or double (m >= 0). With
/// doubles every D_ij is summed in the order of k, and bounds leave room for the rounding of those sums, so
/// that decisions never depend on how they were reached.
template <typename Element>
class L1Scores {
 public:
  using Sum = typename L1Sum<Element>::Type;

  /// Memory for the matrix, row after row; the caller fills it.
  [[nodiscard]] std::span<Element> resize(std::size_t rows, std::size_t columns);

  void scores(std::span<Sum> s);
  /// s_i where it exceeds floor_i, else some number from s_i up to floor_i.
  void scores_above(std::span<const Sum> floor, std::span<Sum> s);
  /// 1 where s_i > floor_i.
  void flags(std::span<const Sum> floor, std::span<std::uint8_t> flagged);
  /// D_ij for all j; 0 at i.
  [[nodiscard]] std::span<const Sum> distances(std::size_t component);

  /// How many columns the last scores_above or flags could not decide by bounds.
  [[nodiscard]] std::size_t refined() const { return refined_; }

 private:
  struct Bounds {
    Sum upper;
    Sum lower;
  };

  void find_pivot();
  void find_radii();
  [[nodiscard]] Bounds bounds(std::size_t component) const;
  void find_pairs();
  void mirror_pairs();
  [[nodiscard]] Sum select_score(std::span<Sum> row);
  [[nodiscard]] std::size_t count_above(Sum floor) const;

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t refined_ = 0;
  Sum guess_ = 0;   ///< The last score, where the search for the next one begins; no result depends on it.
  Sum stride_ = 1;  ///< How far off that was.
  std::vector<Element> matrix_;
  std::vector<Element> pivot_;
  std::vector<Element> sample_;
  std::vector<Sum> radii_;
  std::vector<Sum> sorted_radii_;
  std::vector<Sum> row_;
  std::vector<Sum> pairs_;  ///< n x n, of groups that are not too large for it.
};

extern template class L1Scores<std::int16_t>;
extern template class L1Scores<std::int32_t>;
extern template class L1Scores<double>;

/// When more than half of the group is quiet (0 at every sample) no pair need be compared: of a quiet
/// component's distances more than half are 0, and so is its score. Any other component has one and the same
/// distance to more than half of the group, so that at most half are smaller or larger, and that distance is
/// its score: its distance to zero. In a large system most groups are like this, most of the time.
[[nodiscard]] inline bool quiet_majority(const SortedWindow& window) {
  return window.quiet() >= window.components() / 2 + 1;
}

/// The scores of such a group. `from_zero`: per busy component W times its distance to a quiet one.
template <typename Sum>
void quiet_majority_scores(const SortedWindow& window, const std::vector<Sum>& from_zero,
                           std::span<double> s) {
  const std::span<const std::uint32_t> busy = window.busy();
  LAGGARD_CHECK(s.size() == window.components() && from_zero.size() == busy.size());
  std::fill(s.begin(), s.end(), s.size() < 2 ? kMissing : 0.0);
  const auto w = static_cast<double>(window.size());
  for (std::size_t i = 0; i < busy.size(); ++i) s[busy[i]] = static_cast<double>(from_zero[i]) / w;
}

/// A distance that is L1 on order statistics: turns sums into distances (divided by W) and thresholds into
/// sums. Groups of one have no distances.
template <typename Element>
class L1Questions {
 public:
  using Sum = typename L1Sum<Element>::Type;

  [[nodiscard]] std::span<Element> resize(std::size_t rows, std::size_t columns) {
    rows_ = rows;
    sums_.resize(columns);
    floors_.resize(columns);
    return engine_.resize(rows, columns);
  }

  void scores(std::span<double> s) {
    if (alone(s)) return;
    engine_.scores(sums_);
    divide(s);
  }

  void scores_above(std::span<const double> floor, std::span<double> s) {
    if (alone(s)) return;
    set_floors(floor);
    engine_.scores_above(floors_, sums_);
    divide(s);
  }

  void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) {
    std::fill(flagged.begin(), flagged.end(), std::uint8_t{0});
    if (sums_.size() < 2) return;
    set_floors(threshold);
    engine_.flags(floors_, flagged);
  }

  void distances(std::size_t component, std::span<double> d) {
    const auto sums = engine_.distances(component);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      d[j] = static_cast<double>(sums[j]) / static_cast<double>(rows_);
    }
    d[component] = kMissing;
  }

 private:
  [[nodiscard]] bool alone(std::span<double> s) const {
    if (sums_.size() >= 2) return false;
    std::fill(s.begin(), s.end(), kMissing);
    return true;
  }
  void set_floors(std::span<const double> floor) {
    for (std::size_t i = 0; i < floors_.size(); ++i) floors_[i] = sum_floor<Sum>(floor[i], rows_);
  }
  void divide(std::span<double> s) const {
    for (std::size_t i = 0; i < s.size(); ++i) {
      s[i] = static_cast<double>(sums_[i]) / static_cast<double>(rows_);
    }
  }

  L1Scores<Element> engine_;
  std::size_t rows_ = 1;
  std::vector<Sum> sums_;
  std::vector<Sum> floors_;
};

}  // namespace laggard::detect
