#include "detect/peer/compare/l1_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/l1_kernel.h"

namespace laggard::detect {

namespace {

/// Below this, bounds cost more than they save.
constexpr std::size_t kSmallGroup = 24;
constexpr std::size_t kPivotSample = 31;
/// Up to here the distances of all pairs are kept, so that each is found once for both.
constexpr std::size_t kMostPairBytes = std::size_t{4} << 20;
constexpr std::size_t kMirrorBlock = 32;
/// Far above the rounding of a sum of some thousands of doubles, far below any difference of interest.
constexpr double kSlack = 1e-9;

/// Next larger or smaller sum.
template <typename Sum>
Sum step(Sum s, bool up) {
  if constexpr (std::is_floating_point_v<Sum>) {
    return std::nextafter(s, up ? std::numeric_limits<Sum>::infinity() : Sum{0});
  } else {
    return static_cast<Sum>(up ? s + 1 : s - 1);
  }
}

template <typename Sum>
struct Bracket {
  Sum low;
  Sum high;
};

/// Around the smallest value that has `reached` the goal, as its largest possible one has: by steps from a
/// guess that double.
template <typename Sum, typename Reached>
Bracket<Sum> bracket(Sum guess, Sum stride, const Reached& reached) {
  constexpr Sum kMost = std::numeric_limits<Sum>::max();
  const auto twice = [&] { return static_cast<Sum>(stride <= kMost / 2 ? stride * 2 : kMost); };
  if (reached(guess)) {
    Sum high = guess;
    for (; high > 0; stride = twice()) {
      const auto lower = static_cast<Sum>(high > stride ? high - stride : 0);
      if (!reached(lower)) return {static_cast<Sum>(lower + 1), high};
      high = lower;
    }
    return {0, 0};
  }
  auto low = static_cast<Sum>(guess + 1);
  for (;; stride = twice()) {
    const auto higher = static_cast<Sum>(kMost - low > stride ? low + stride : kMost);
    if (reached(higher)) return {low, higher};
    low = static_cast<Sum>(higher + 1);
  }
}

/// The smallest value from low to high that has `reached` the goal, as `high` has.
template <typename Sum, typename Reached>
Sum bisect(Sum low, Sum high, const Reached& reached) {
  while (low < high) {
    const Sum middle = static_cast<Sum>(low + (high - low) / 2);
    if (reached(middle)) {
      high = middle;
    } else {
      low = static_cast<Sum>(middle + 1);
    }
  }
  return low;
}

}  // namespace

template <typename Sum>
Sum sum_floor(double threshold, std::size_t window_size) {
  constexpr Sum kMost = std::numeric_limits<Sum>::max();
  const auto w = static_cast<double>(window_size);
  const double wanted = threshold * w;
  if (!(wanted < static_cast<double>(kMost))) return kMost;
  LAGGARD_CHECK(threshold >= 0);
  auto s = static_cast<Sum>(wanted);
  // The product was rounded: the quotient decides.
  while (s > 0 && static_cast<double>(s) / w > threshold) s = step(s, false);
  while (s < kMost && static_cast<double>(step(s, true)) / w <= threshold) s = step(s, true);
  return s;
}

template std::uint16_t sum_floor<std::uint16_t>(double, std::size_t);
template std::uint32_t sum_floor<std::uint32_t>(double, std::size_t);
template double sum_floor<double>(double, std::size_t);

template <typename Element>
std::span<Element> L1Scores<Element>::resize(std::size_t rows, std::size_t columns) {
  rows_ = rows;
  columns_ = columns;
  matrix_.resize(rows * columns);
  row_.resize(columns);
  return matrix_;
}

template <typename Element>
std::span<const typename L1Scores<Element>::Sum> L1Scores<Element>::distances(std::size_t component) {
  sample_.resize(rows_);
  for (std::size_t k = 0; k < rows_; ++k) sample_[k] = matrix_[k * columns_ + component];
  l1_to_point(L1Matrix<Element>{matrix_.data(), rows_, columns_}, sample_.data(), row_.data());
  return row_;
}

/// The component's distance to itself, 0, is among the smallest, so its score is one rank higher in the row.
/// Integers are bisected: counting what exceeds a guess takes a vector instruction per sixteen sums, which is
/// ten times faster than moving the sums about. Peers are alike, so the search begins at the last one's
/// score, and half of the guesses that a sum has bits for are enough.
template <typename Element>
typename L1Scores<Element>::Sum L1Scores<Element>::select_score(std::span<Sum> row) {
  const std::size_t rank = score_rank(columns_) + 1;
  if constexpr (std::is_floating_point_v<Sum>) {
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(row.begin(), at, row.end());
    return *at;
  } else {
    // The score is the smallest value that at most n - rank - 1 sums exceed.
    const auto reached = [&](Sum value) {
      return count_greater(row.data(), columns_, value) <= columns_ - rank - 1;
    };
    const auto [low, high] = bracket<Sum>(guess_, stride_, reached);
    const Sum score = bisect<Sum>(low, high, reached);
    stride_ = std::max<Sum>(1, score > guess_ ? score - guess_ : guess_ - score);
    guess_ = score;
    return score;
  }
}

template <typename Element>
std::size_t L1Scores<Element>::count_above(Sum floor) const {
  return count_greater(row_.data(), columns_, floor);
}

template <typename Element>
void L1Scores<Element>::scores(std::span<Sum> s) {
  LAGGARD_CHECK(columns_ >= 2 && s.size() == columns_);
  const bool all_pairs =
      columns_ >= kTileColumns<Element> && columns_ * columns_ * sizeof(Sum) <= kMostPairBytes;
  if (all_pairs) find_pairs();
  for (std::size_t i = 0; i < columns_; ++i) {
    if (!all_pairs) static_cast<void>(distances(i));
    s[i] = select_score(all_pairs ? std::span(pairs_).subspan(i * columns_, columns_) : std::span(row_));
  }
}

/// Tiles from the diagonal to the right, the last ones of each stretch moved back to end with it; what is
/// left of the diagonal is what is above it.
template <typename Element>
void L1Scores<Element>::find_pairs() {
  const L1Matrix<Element> m{matrix_.data(), rows_, columns_};
  const std::size_t last_point = columns_ - kTilePoints;
  const std::size_t last_column = columns_ - kTileColumns<Element>;
  pairs_.resize(columns_ * columns_);
  for (std::size_t i = 0; i < columns_; i += kTilePoints) {
    const std::size_t point = std::min(i, last_point);
    for (std::size_t j = point; j < columns_; j += kTileColumns<Element>) {
      const std::size_t column = std::min(j, last_column);
      l1_tile(m, {.point = point, .column = column, .stride = columns_},
              pairs_.data() + point * columns_ + column);
    }
  }
  mirror_pairs();
}

/// In blocks, because a column of a large table lies in as many cache lines as it has rows.
template <typename Element>
void L1Scores<Element>::mirror_pairs() {
  for (std::size_t top = 0; top < columns_; top += kMirrorBlock) {
    const std::size_t bottom = std::min(columns_, top + kMirrorBlock);
    for (std::size_t left = 0; left < bottom; left += kMirrorBlock) {
      const std::size_t right = std::min(columns_, left + kMirrorBlock);
      for (std::size_t j = top; j < bottom; ++j) {
        for (std::size_t i = left; i < std::min(j, right); ++i) {
          pairs_[j * columns_ + i] = pairs_[i * columns_ + j];
        }
      }
    }
  }
}

template <typename Element>
void L1Scores<Element>::find_pivot() {
  pivot_.resize(rows_);
  const std::size_t stride = std::max<std::size_t>(1, columns_ / kPivotSample);
  for (std::size_t k = 0; k < rows_; ++k) {
    sample_.clear();
    const Element* const row = matrix_.data() + k * columns_;
    for (std::size_t i = stride / 2; i < columns_; i += stride) sample_.push_back(row[i]);
    const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
    std::nth_element(sample_.begin(), middle, sample_.end());
    pivot_[k] = *middle;
  }
}

template <typename Element>
void L1Scores<Element>::find_radii() {
  radii_.resize(columns_);
  l1_to_point(L1Matrix<Element>{matrix_.data(), rows_, columns_}, pivot_.data(), radii_.data());
  sorted_radii_ = radii_;
  std::sort(sorted_radii_.begin(), sorted_radii_.end());
}

template <typename Element>
typename L1Scores<Element>::Bounds L1Scores<Element>::bounds(std::size_t component) const {
  const Sum own = radii_[component];
  const Sum near = sorted_radii_[score_rank(columns_) + 1];
  const Sum half = sorted_radii_[(columns_ - 1) / 2];
  if constexpr (std::is_floating_point_v<Sum>) {
    return {(own + near) * (1 + kSlack), std::max(0.0, own - half - kSlack * (own + half))};
  } else {
    const std::uint64_t sum = std::uint64_t{own} + near;
    constexpr std::uint64_t kMost = std::numeric_limits<Sum>::max();
    return {static_cast<Sum>(std::min(sum, kMost)), static_cast<Sum>(own > half ? own - half : 0)};
  }
}

template <typename Element>
void L1Scores<Element>::scores_above(std::span<const Sum> floor, std::span<Sum> s) {
  LAGGARD_CHECK(columns_ >= 2 && s.size() == columns_ && floor.size() == columns_);
  refined_ = columns_;
  if (columns_ < kSmallGroup) return scores(s);
  refined_ = 0;
  find_pivot();
  find_radii();
  for (std::size_t i = 0; i < columns_; ++i) {
    const Sum upper = bounds(i).upper;
    if (upper <= floor[i]) {
      s[i] = upper;
      continue;
    }
    ++refined_;
    static_cast<void>(distances(i));
    s[i] = count_above(floor[i]) > (columns_ - 1) / 2 ? select_score(row_) : std::min(upper, floor[i]);
  }
}

template <typename Element>
void L1Scores<Element>::flags(std::span<const Sum> floor, std::span<std::uint8_t> flagged) {
  LAGGARD_CHECK(columns_ >= 2 && flagged.size() == columns_ && floor.size() == columns_);
  const bool prune = columns_ >= kSmallGroup;
  refined_ = 0;
  if (prune) {
    find_pivot();
    find_radii();
  }
  for (std::size_t i = 0; i < columns_; ++i) {
    if (prune) {
      const auto [upper, lower] = bounds(i);
      flagged[i] = lower > floor[i] ? 1 : 0;
      if (upper <= floor[i] || lower > floor[i]) continue;
    }
    ++refined_;
    static_cast<void>(distances(i));
    flagged[i] = count_above(floor[i]) > (columns_ - 1) / 2 ? 1 : 0;
  }
}

template class L1Scores<std::int16_t>;
template class L1Scores<std::int32_t>;
template class L1Scores<double>;

}  // namespace laggard::detect
