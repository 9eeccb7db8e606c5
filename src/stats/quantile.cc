#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clones.h"
#include "base/error.h"

namespace laggard::stats {

namespace {

/// Where a quantile lies: between the order statistics `low` and `low + 1`, `fraction` of the way.
struct Position {
  std::size_t low;
  double fraction;
};

Position position(std::size_t n, double p) {
  LAGGARD_CHECK(n >= 1 && p >= 0 && p <= 1);
  const double h = static_cast<double>(n - 1) * p;
  const double low = std::floor(h);
  return {static_cast<std::size_t>(low), h - low};
}

/// a + f (b - a), written so that the difference of two huge samples of unlike sign does not overflow.
double between(double a, double b, double fraction) {
  if (fraction == 0 || a == b) return a;
  const double step = b - a;
  return std::isfinite(step) ? a + fraction * step : (1 - fraction) * a + fraction * b;
}

double quantile_in_place(std::span<double> x, double p) {
  const auto [low, fraction] = position(x.size(), p);
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(x.begin(), at, x.end());
  if (fraction == 0) return *at;
  return between(*at, *std::min_element(at + 1, x.end()), fraction);
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const auto [low, fraction] = position(sorted.size(), p);
  return fraction == 0 ? sorted[low] : between(sorted[low], sorted[low + 1], fraction);
}

double quantile(std::span<const double> x, double p, std::vector<double>& scratch) {
  scratch.assign(x.begin(), x.end());
  return quantile_in_place(scratch, p);
}

double median(std::span<const double> x, std::vector<double>& scratch) { return quantile(x, 0.5, scratch); }

double median_in_place(std::span<double> x) { return quantile_in_place(x, 0.5); }

double mad(std::span<const double> x, std::vector<double>& scratch) {
  const double centre = median(x, scratch);
  for (double& value : scratch) value = std::abs(value - centre);
  return kMadToSigma * median_in_place(scratch);
}

namespace {

constexpr std::size_t kLeastSample = 512;
/// Below this, selecting from all samples costs less than bracketing.
constexpr std::size_t kSmall = 4 * kLeastSample;
/// One in so many is sampled: a larger sample gives narrower brackets.
constexpr std::size_t kSampledShare = 256;
constexpr std::size_t kTogether = 8;
/// From this sample size on a bracket holds few hundredths of all, so most groups tested at once lie outside.
constexpr std::size_t kNarrowFrom = 4096;
/// Samples that go through all brackets while they are in the cache.
constexpr std::size_t kChunk = 4096;

std::size_t count_negative(std::span<const double> x) {
  return static_cast<std::size_t>(std::ranges::count_if(x, [](double v) { return v < 0; }));
}

/// Ranks among the samples that are written out ("own") and the zeros that are not: in order, the zeros come
/// after the negative samples.
struct Ranks {
  std::size_t own;
  std::size_t zeros;
  std::size_t negative;

  [[nodiscard]] bool is_zero(std::size_t rank) const { return rank >= negative && rank < negative + zeros; }
  [[nodiscard]] std::size_t among_own(std::size_t rank) const {
    return rank < negative ? rank : rank - zeros;
  }
  [[nodiscard]] std::size_t next(std::size_t rank) const { return std::min(rank + 1, own + zeros - 1); }
  /// The own rank to select for a rank and the next: those of the two that are not zeros are neighbours among
  /// the own. Nothing when both are zeros.
  [[nodiscard]] std::optional<std::size_t> to_find(std::size_t rank) const {
    if (!is_zero(rank)) return among_own(rank);
    if (!is_zero(next(rank))) return among_own(next(rank));
    return std::nullopt;
  }
  /// The samples at a rank and the next one, of those found from to_find on.
  [[nodiscard]] std::pair<double, double> among_zeros(std::size_t rank, double found, double behind) const {
    const double low = is_zero(rank) ? 0 : found;
    if (is_zero(next(rank))) return {low, 0};
    return {low, is_zero(rank) ? found : behind};
  }
};

struct Collected {
  std::size_t below = 0;
  std::size_t inside = 0;
};

/// Counts what lies below [low, high] and collects what lies in it, without a branch that would often be
/// mispredicted. \param inside  room for all of x.
Collected collect(std::span<const double> x, double low, double high, double* inside) {
  Collected found;
  for (const double value : x) {
    found.below += static_cast<std::size_t>(value < low);
    inside[found.inside] = value;
    found.inside += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value <= high);
  }
  return found;
}

/// The same for a bracket in which few samples lie: skips groups that lie outside. Written with the vector
/// extension of gcc and clang, because they do not vectorise a loop over so few.
LAGGARD_CLONES Collected collect_few(std::span<const double> x, double low, double high, double* inside) {
  using Doubles [[gnu::vector_size(kTogether / 2 * sizeof(double))]] = double;
  using Truths [[gnu::vector_size(kTogether / 2 * sizeof(double))]] = std::int64_t;  // 0 or -1 each.
  Collected found;
  Truths below{};
  std::size_t at = 0;
  for (; at + kTogether <= x.size(); at += kTogether) {
    Doubles a;
    Doubles b;
    std::memcpy(&a, x.data() + at, sizeof a);
    std::memcpy(&b, x.data() + at + kTogether / 2, sizeof b);
    below -= (a < low) + (b < low);
    const Truths within = ((a >= low) & (a <= high)) | ((b >= low) & (b <= high));
    if ((within[0] | within[1] | within[2] | within[3]) != 0) {
      found.inside += collect(x.subspan(at, kTogether), low, high, inside + found.inside).inside;
    }
  }
  const Collected rest = collect(x.subspan(at), low, high, inside + found.inside);
  for (std::size_t i = 0; i < kTogether / 2; ++i) found.below += static_cast<std::size_t>(below[i]);
  return {found.below + rest.below, found.inside + rest.inside};
}

}  // namespace

/// Three standard errors of a sample rank on either side.
void QuantileSelector::set_brackets(std::span<const double> x) {
  sample_.clear();
  const std::size_t stride = x.size() / std::max(kLeastSample, x.size() / kSampledShare);
  for (std::size_t i = stride / 2; i < x.size(); i += stride) sample_.push_back(x[i]);
  std::sort(sample_.begin(), sample_.end());
  const auto m = static_cast<double>(sample_.size());
  for (Bracket& bracket : std::span(brackets_).first(used_)) {
    const double share = static_cast<double>(bracket.rank) / static_cast<double>(x.size());
    const double slack = 3 * std::sqrt(m * share * (1 - share)) + 1;
    const double first = std::max(0.0, std::floor(m * share - slack));
    const double last = std::min(m - 1, std::ceil(m * share + slack));
    bracket.low = sample_[static_cast<std::size_t>(first)];
    bracket.high = sample_[static_cast<std::size_t>(last)];
    bracket.below = 0;
    bracket.kept = 0;
  }
}

void QuantileSelector::fill_brackets(std::span<const double> x) {
  const bool narrow = sample_.size() > kNarrowFrom;
  for (std::size_t at = 0; at < x.size(); at += kChunk) {
    const std::span<const double> chunk = x.subspan(at, std::min(kChunk, x.size() - at));
    for (Bracket& bracket : std::span(brackets_).first(used_)) {
      if (bracket.inside.size() < bracket.kept + chunk.size())
        bracket.inside.resize(bracket.kept + 2 * kChunk);
      double* const room = bracket.inside.data() + bracket.kept;
      const auto [below, inside] = narrow ? collect_few(chunk, bracket.low, bracket.high, room)
                                          : collect(chunk, bracket.low, bracket.high, room);
      bracket.below += below;
      bracket.kept += inside;
    }
  }
}

void QuantileSelector::find_neighbours(std::span<const double> x) {
  const bool in_brackets = x.size() >= kSmall;
  if (in_brackets) {
    set_brackets(x);
    fill_brackets(x);
  }
  for (Bracket& bracket : std::span(brackets_).first(used_)) {
    if (!in_brackets || bracket.rank < bracket.below || bracket.rank + 1 >= bracket.below + bracket.kept) {
      // Few samples, or a bracket that missed its rank.
      bracket.inside.assign(x.begin(), x.end());
      bracket.below = 0;
      bracket.kept = x.size();
    }
    const auto begin = bracket.inside.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(bracket.kept);
    const auto at = begin + static_cast<std::ptrdiff_t>(bracket.rank - bracket.below);
    std::nth_element(begin, at, end);
    bracket.low = *at;
    bracket.high = at + 1 == end ? *at : *std::min_element(at + 1, end);
  }
}

void QuantileSelector::select_with_zeros(const WithZeros& samples, std::span<const double> p,
                                         std::span<double> out) {
  LAGGARD_CHECK(p.size() == out.size());
  const std::span<const double> x = samples.x;
  const std::size_t n = x.size() + samples.zeros;
  const Ranks ranks{
      .own = x.size(), .zeros = samples.zeros, .negative = samples.zeros == 0 ? x.size() : count_negative(x)};
  brackets_.resize(std::max(brackets_.size(), p.size()));
  used_ = 0;
  for (const double probability : p) {
    if (const auto rank = ranks.to_find(position(n, probability).low)) brackets_[used_++].rank = *rank;
  }
  find_neighbours(x);
  std::size_t next = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto [rank, fraction] = position(n, p[i]);
    if (!ranks.to_find(rank)) {
      out[i] = 0;
      continue;
    }
    const Bracket& found = brackets_[next++];
    const auto [low, high] = ranks.among_zeros(rank, found.low, found.high);
    out[i] = between(low, high, fraction);
  }
}

void QuantileSelector::select(std::span<const double> x, std::span<const double> p, std::span<double> out) {
  select_with_zeros({.x = x, .zeros = 0}, p, out);
}

}  // namespace laggard::stats
