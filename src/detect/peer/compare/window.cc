#include "detect/peer/compare/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/missing.h"
#include "stats/clones.h"

namespace laggard::detect {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// (The infinity comes in as a value: as a constant in the condition clang-tidy 14 takes it for a narrowing.)
LAGGARD_CLONES void copy_missing_last(const double* row, double* sorted, std::size_t n, double missing) {
  for (std::size_t i = 0; i < n; ++i) sorted[i] = row[i] == row[i] ? row[i] : missing;
}

LAGGARD_CLONES void count_present(const double* row, std::uint32_t* present, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) present[i] += row[i] == row[i] ? 1U : 0U;
}

struct Range {
  double lowest = 0;
  double highest = 0;
};
/// Of what is present; missing samples compare false with everything.
LAGGARD_CLONES Range range_of(const double* x, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  double low[kLanes];
  double high[kLanes];
  std::fill_n(low, kLanes, kInfinity);
  std::fill_n(high, kLanes, -kInfinity);
  std::size_t at = 0;
  for (; at + kLanes <= n; at += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      low[i] = x[at + i] < low[i] ? x[at + i] : low[i];
      high[i] = x[at + i] > high[i] ? x[at + i] : high[i];
    }
  }
  for (; at < n; ++at) {
    low[0] = x[at] < low[0] ? x[at] : low[0];
    high[0] = x[at] > high[0] ? x[at] : high[0];
  }
  return {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
}

}  // namespace

void SortedWindow::assign(const Window& window) {
  LAGGARD_CHECK(window.components >= 1 && window.values.size() == window.components * window.size);
  window_ = window;
  group_level_known_ = false;
  is_sorted_ = false;
  has_kept_ = false;
  gather_busy();
  look_at_busy();
  left_out_.clear();
  in_spread_ = active_;
}

void SortedWindow::leave_out_of_spread(std::span<const std::uint32_t> components) {
  if (components.empty()) return;
  left_out_.assign(window_.components, 0);
  for (const std::uint32_t i : components) {
    left_out_[i] = 1;
    if (present(i) > 0) --in_spread_;
  }
}

std::span<const double> SortedWindow::spread_samples() {
  spread_samples_.clear();
  for (std::size_t k = 0; k < window_.size; ++k) {
    for (std::size_t i = 0; i < window_.components; ++i) {
      const double x = window_.at(i, k);
      if (left_out_[i] == 0 && x == x) spread_samples_.push_back(x);
    }
  }
  return spread_samples_;
}

void SortedWindow::gather_busy() {
  const std::size_t n = window_.components;
  if (!window_.busy || window_.busy->size() == n) {
    for (std::size_t i = all_.size(); i < n; ++i) all_.push_back(static_cast<std::uint32_t>(i));
    busy_ = std::span(all_).subspan(0, n);
    busy_samples_ = window_.values;
    return;
  }
  busy_ = *window_.busy;
  gathered_.resize(busy_.size() * window_.size);
  double* to = gathered_.data();
  for (std::size_t k = 0; k < window_.size; ++k) {
    const double* const row = window_.values.data() + k * n;
    for (const std::uint32_t i : busy_) *to++ = row[i];
  }
  busy_samples_ = gathered_;
}

void SortedWindow::look_at_busy() {
  const std::size_t m = busy_.size();
  if (window_.complete) {
    busy_present_.assign(m, static_cast<std::uint32_t>(window_.size));
  } else {
    busy_present_.assign(m, 0);
    for (std::size_t k = 0; k < window_.size; ++k) {
      count_present(busy_samples_.data() + k * m, busy_present_.data(), m);
    }
  }
  active_ = quiet() + static_cast<std::size_t>(std::count_if(busy_present_.begin(), busy_present_.end(),
                                                             [](std::uint32_t count) { return count > 0; }));
  const Range range = range_of(busy_samples_.data(), busy_samples_.size());
  lowest_ = quiet() > 0 ? std::min(range.lowest, 0.0) : range.lowest;
  highest_ = quiet() > 0 ? std::max(range.highest, 0.0) : range.highest;
}

void SortedWindow::sort() {
  if (is_sorted_) return;
  is_sorted_ = true;
  if (network_rows_ != window_.size) {
    network_ = stats::merge_exchange(static_cast<std::uint32_t>(window_.size));
    network_rows_ = window_.size;
  }
  sorted_.resize(window_.values.size());
  copy_missing_last(window_.values.data(), sorted_.data(), sorted_.size(), kInfinity);
  stats::sort_columns<double>(sorted_, window_.components, network_);
}

std::span<const double> SortedWindow::order(std::size_t k) {
  sort();
  return std::span<const double>(sorted_).subspan(k * window_.components, window_.components);
}

std::size_t SortedWindow::present(std::size_t component) const {
  const auto at = std::lower_bound(busy_.begin(), busy_.end(), component);
  if (at == busy_.end() || *at != component) return window_.size;
  return busy_present_[static_cast<std::size_t>(at - busy_.begin())];
}

namespace {

void keep_present(std::span<const double> x, std::vector<double>& kept) {
  kept.resize(x.size());
  std::size_t count = 0;
  for (const double value : x) {
    kept[count] = value;
    count += static_cast<std::size_t>(value == value);
  }
  kept.resize(count);
}

}  // namespace

std::span<const double> SortedWindow::samples() {
  if (window_.complete) return window_.values;
  if (!has_kept_) keep_present(window_.values, kept_);
  has_kept_ = true;
  return kept_;
}

std::span<const double> SortedWindow::busy_kept() {
  if (window_.complete) return busy_samples_;
  keep_present(busy_samples_, busy_kept_);
  return busy_kept_;
}

std::array<double, 2> SortedWindow::quartiles(stats::QuantileSelector& selector) {
  constexpr std::array kQuartiles{0.25, 0.75};
  std::array<double, 2> quartile{};
  if (!left_out_.empty()) {
    selector.select(spread_samples(), kQuartiles, quartile);
  } else if (quiet() > 0) {
    selector.select_with_zeros({busy_kept(), quiet() * window_.size}, kQuartiles, quartile);
  } else {
    selector.select(samples(), kQuartiles, quartile);
  }
  return quartile;
}

double SortedWindow::mad(std::vector<double>& scratch) {
  return stats::mad(left_out_.empty() ? samples() : spread_samples(), scratch);
}

double SortedWindow::level(std::size_t component) {
  const std::size_t count = present(component);
  if (count == 0) return kMissing;
  const double low = order((count - 1) / 2)[component];
  const double high = order(count / 2)[component];
  return low + (high - low) / 2;
}

double SortedWindow::group_level() {
  if (group_level_known_) return group_level_;
  levels_.clear();
  for (std::size_t i = 0; i < components(); ++i) {
    if (present(i) > 0) levels_.push_back(level(i));
  }
  group_level_ = levels_.empty() ? kMissing : stats::median_in_place(levels_);
  group_level_known_ = true;
  return group_level_;
}

int SortedWindow::side(std::size_t component) {
  const double own = level(component);
  const double group = group_level();
  return static_cast<int>(own > group) - static_cast<int>(own < group);
}

}  // namespace laggard::detect
