#include "stats/missing_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/clones.h"
#include "base/error.h"
#include "base/missing.h"

namespace laggard::stats {

namespace {

/// The median of n numbers in ascending order, of which `at` gives the k-th; n is not 0.
double median_of_sorted(std::size_t n, const auto& at) {
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

}  // namespace

MedianOfOthers::MedianOfOthers(std::span<const double> x) {
  // Most members of a large system are idle, so zeros are put where they belong without being sorted.
  std::size_t zeros = 0;
  sorted_.reserve(x.size());
  for (const double v : x) {
    if (v == 0) {
      ++zeros;
    } else if (!std::isnan(v)) {
      sorted_.push_back(v);
    }
  }
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), 0.0), zeros, 0.0);
}

std::size_t MedianOfOthers::place_of(double mine) const {
  if (std::isnan(mine)) return sorted_.size();
  return static_cast<std::size_t>(std::ranges::lower_bound(sorted_, mine) - sorted_.begin());
}

double MedianOfOthers::without(double mine) const {
  const std::size_t gap = place_of(mine);
  const std::size_t n = sorted_.size() - (!std::isnan(mine) && !sorted_.empty() ? 1 : 0);
  if (n == 0) return kMissing;
  return median_of_sorted(n, [&](std::size_t k) { return sorted_[k < gap ? k : k + 1]; });
}

double MedianOfOthers::scatter_without(double mine) const {
  const std::size_t gap = place_of(mine);
  const std::size_t n = sorted_.size() - (!std::isnan(mine) && !sorted_.empty() ? 1 : 0);
  if (n == 0) return kMissing;
  if (n == 1) return 0;
  // The median of the rest falls as the one that is held against it rises, so the extremes deviate most.
  const auto other = [&](std::size_t k) { return sorted_[k < gap ? k : k + 1]; };
  const double below = median_of_sorted(n - 1, [&](std::size_t k) { return other(k + 1); });
  const double above = median_of_sorted(n - 1, other);
  return std::max(below - other(0), other(n - 1) - above);
}

double median_of(std::span<const double> x) {
  std::vector<double> present;
  present.reserve(x.size());
  std::copy_if(x.begin(), x.end(), std::back_inserter(present), [](double v) { return !std::isnan(v); });
  if (present.empty()) return kMissing;
  const auto middle = present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
  std::nth_element(present.begin(), middle, present.end());
  return present.size() % 2 == 1 ? *middle : (*std::max_element(present.begin(), middle) + *middle) / 2;
}

namespace {

LAGGARD_CLONES void add(const double* x, double* sum, double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool present = x[i] == x[i];
    sum[i] += present ? x[i] : 0.0;
    count[i] += present ? 1.0 : 0.0;
  }
}

LAGGARD_CLONES void add_above_zero(const double* x, double* sum, double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool positive = x[i] > 0;
    sum[i] += positive ? x[i] : 0.0;
    count[i] += positive ? 1.0 : 0.0;
  }
}

LAGGARD_CLONES void divide(double* sum, const double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] /= count[i];
}

}  // namespace

void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count) {
  LAGGARD_CHECK(sum.size() == x.size() && count.size() == x.size());
  add(x.data(), sum.data(), count.data(), x.size());
}

void add_positive(std::span<const double> x, std::span<double> sum, std::span<double> count) {
  LAGGARD_CHECK(sum.size() == x.size() && count.size() == x.size());
  add_above_zero(x.data(), sum.data(), count.data(), x.size());
}

void divide_by(std::span<double> sum, std::span<const double> count) {
  LAGGARD_CHECK(sum.size() == count.size());
  divide(sum.data(), count.data(), sum.size());
}

}  // namespace laggard::stats
