#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/missing.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/l1_scores.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect {

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
