#include "detect/peer/compare/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clones.h"
#include "base/error.h"
#include "base/missing.h"

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

void Window::spread_row(std::size_t sample, std::span<double> out) const {
  const std::span<const double> from = row(sample);
  if (!busy) {
    std::ranges::copy(from, out.begin());
    return;
  }
  std::ranges::fill(out, 0.0);
  for (std::size_t b = 0; b < from.size(); ++b) out[(*busy)[b]] = from[b];
}

void SortedWindow::assign(const Window& window) {
  LAGGARD_CHECK(window.components >= 1 && window.values.size() == window.width() * window.size);
  window_ = window;
  group_level_known_ = false;
  is_sorted_ = false;
  has_kept_ = false;
  if (window.busy) {
    busy_ = *window.busy;
  } else {
    for (std::size_t i = all_.size(); i < window.components; ++i) {
      all_.push_back(static_cast<std::uint32_t>(i));
    }
    busy_ = std::span(all_).first(window.components);
  }
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
    const std::span<const double> row = window_.row(k);
    for (std::size_t b = 0; b < busy_.size(); ++b) {
      if (left_out_[busy_[b]] == 0 && row[b] == row[b]) spread_samples_.push_back(row[b]);
    }
  }
  // The quiet ones are 0 all the time.
  std::size_t quiet_ones = quiet();
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i] != 0 && !std::ranges::binary_search(busy_, i)) --quiet_ones;
  }
  spread_samples_.insert(spread_samples_.end(), quiet_ones * window_.size, 0.0);
  return spread_samples_;
}

void SortedWindow::look_at_busy() {
  const std::size_t m = busy_.size();
  if (window_.complete) {
    busy_present_.assign(m, static_cast<std::uint32_t>(window_.size));
  } else {
    busy_present_.assign(m, 0);
    for (std::size_t k = 0; k < window_.size; ++k) {
      count_present(window_.values.data() + k * m, busy_present_.data(), m);
    }
  }
  active_ = quiet() + static_cast<std::size_t>(std::count_if(busy_present_.begin(), busy_present_.end(),
                                                             [](std::uint32_t count) { return count > 0; }));
  const Range range = range_of(window_.values.data(), window_.values.size());
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
  const std::size_t m = busy_.size();
  std::vector<double>& of_busy = quiet() > 0 ? sorted_busy_ : sorted_;
  of_busy.resize(window_.values.size());
  copy_missing_last(window_.values.data(), of_busy.data(), of_busy.size(), kInfinity);
  stats::sort_columns<double>(of_busy, m, network_);
  if (quiet() == 0) return;
  sorted_.assign(window_.size * window_.components, 0.0);
  for (std::size_t k = 0; k < window_.size; ++k) {
    double* const row = sorted_.data() + k * window_.components;
    for (std::size_t b = 0; b < m; ++b) row[busy_[b]] = sorted_busy_[k * m + b];
  }
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
  if (quiet() == 0 && window_.complete) return window_.values;
  if (!has_kept_) {
    keep_present(window_.values, kept_);
    kept_.insert(kept_.end(), quiet() * window_.size, 0.0);
  }
  has_kept_ = true;
  return kept_;
}

std::span<const double> SortedWindow::busy_kept() {
  if (window_.complete) return window_.values;
  keep_present(window_.values, busy_kept_);
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
