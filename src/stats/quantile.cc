#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

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

/// Not a + f (b - a) alone: the difference of two huge samples of unlike sign overflows.
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

double iqr(std::span<const double> x, std::vector<double>& scratch) {
  const double upper = quantile(x, 0.75, scratch);
  return upper - quantile_in_place(scratch, 0.25);
}

double mad(std::span<const double> x, std::vector<double>& scratch) {
  const double centre = median(x, scratch);
  for (double& value : scratch) value = std::abs(value - centre);
  return kMadToSigma * median_in_place(scratch);
}

namespace {

constexpr std::size_t kSampleSize = 512;
/// Below this, selecting in full costs less than looking for brackets.
constexpr std::size_t kSmall = 4 * kSampleSize;

/// What one pass over the samples finds out about a bracket [low, high].
struct Collected {
  std::size_t below;
  std::size_t inside;
};

std::size_t count_negative(std::span<const double> x) {
  return static_cast<std::size_t>(std::ranges::count_if(x, [](double v) { return v < 0; }));
}

/// Counts what lies below the bracket and collects what lies in it, at the front of `inside`. Without a
/// branch, which the samples at the bracket's edges would have mispredicted.
Collected collect_bracket(std::span<const double> x, double low, double high, std::span<double> inside) {
  Collected found{0, 0};
  for (const double value : x) {
    found.below += static_cast<std::size_t>(value < low);
    inside[found.inside] = value;
    found.inside += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value <= high);
  }
  return found;
}

}  // namespace

void QuantileSelector::draw_sample(std::span<const double> x) {
  inside_.resize(x.size());
  sample_.clear();
  if (x.size() < kSmall) return;
  const std::size_t stride = x.size() / kSampleSize;
  for (std::size_t i = stride / 2; i < x.size(); i += stride) sample_.push_back(x[i]);
  std::sort(sample_.begin(), sample_.end());
}

QuantileSelector::Neighbours QuantileSelector::neighbours(std::span<const double> x, std::size_t rank) {
  const auto select = [&](std::size_t kept, std::size_t at_rank) -> Neighbours {
    const auto end = inside_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto at = inside_.begin() + static_cast<std::ptrdiff_t>(at_rank);
    std::nth_element(inside_.begin(), at, end);
    return {*at, at + 1 == end ? *at : *std::min_element(at + 1, end)};
  };
  if (!sample_.empty()) {
    const double share = static_cast<double>(rank) / static_cast<double>(x.size());
    const auto m = static_cast<double>(sample_.size());
    // Three standard errors of a sample rank on either side.
    const double slack = 3 * std::sqrt(m * share * (1 - share)) + 1;
    const double first = std::max(0.0, std::floor(m * share - slack));
    const double last = std::min(m - 1, std::ceil(m * share + slack));
    const auto [below, kept] = collect_bracket(x, sample_[static_cast<std::size_t>(first)],
                                               sample_[static_cast<std::size_t>(last)], inside_);
    if (rank >= below && rank + 1 < below + kept) return select(kept, rank - below);
  }
  // Few samples, or a bracket that misled us.
  std::ranges::copy(x, inside_.begin());
  return select(x.size(), rank);
}

void QuantileSelector::select_with_zeros(const WithZeros& samples, std::span<const double> p,
                                         std::span<double> out) {
  LAGGARD_CHECK(p.size() == out.size());
  const std::span<const double> x = samples.x;
  const std::size_t n = x.size() + samples.zeros;
  const std::size_t negative = samples.zeros == 0 ? x.size() : count_negative(x);
  draw_sample(x);
  // The zeros stand behind what is negative.
  const auto is_zero = [&](std::size_t rank) { return rank >= negative && rank < negative + samples.zeros; };
  const auto own_rank = [&](std::size_t rank) { return rank < negative ? rank : rank - samples.zeros; };
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto [rank, fraction] = position(n, p[i]);
    const std::size_t next = std::min(rank + 1, n - 1);
    Neighbours found{0, 0};
    if (!is_zero(rank)) found = neighbours(x, own_rank(rank));
    if (is_zero(next)) {
      found.high = 0;
    } else if (is_zero(rank) && fraction != 0) {
      found.high = neighbours(x, own_rank(next)).low;
    }
    out[i] = between(found.low, found.high, fraction);
  }
}

void QuantileSelector::select(std::span<const double> x, std::span<const double> p, std::span<double> out) {
  select_with_zeros({.x = x, .zeros = 0}, p, out);
}

}  // namespace laggard::stats
