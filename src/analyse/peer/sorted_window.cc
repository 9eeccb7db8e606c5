#include "analyse/peer/sorted_window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stats/clones.h"

namespace laggard::analyse {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// (The infinity comes in as a value: as a constant in the condition clang-tidy 14 takes it for a narrowing.)
LAGGARD_CLONES void take_row(std::span<const double> row, double* sorted, std::uint32_t* present,
                             double missing) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double x = row[i];
    sorted[i] = std::isnan(x) ? missing : x;
    present[i] += std::isnan(x) ? 0U : 1U;
  }
}

}  // namespace

void SortedWindow::assign(const Window& window) {
  LAGGARD_CHECK(window.components >= 1 && window.values.size() == window.components * window.size);
  window_ = window;
  group_level_known_ = false;
  if (network_rows_ != window.size) {
    network_ = stats::merge_exchange(static_cast<std::uint32_t>(window.size));
    network_rows_ = window.size;
  }
  const std::size_t n = window.components;
  sorted_.resize(window.values.size());
  present_.assign(n, 0);
  for (std::size_t k = 0; k < window.size; ++k) {
    take_row(window.values.subspan(k * n, n), sorted_.data() + k * n, present_.data(), kInfinity);
  }
  samples_.resize(window.values.size());
  std::size_t kept = 0;
  for (const double value : window.values) {
    samples_[kept] = value;
    kept += static_cast<std::size_t>(value == value);
  }
  samples_.resize(kept);
  stats::sort_columns(sorted_, n, network_);
  lowest_ = kInfinity;
  highest_ = -kInfinity;
  for (std::size_t i = 0; i < n; ++i) {
    if (present_[i] == 0) continue;
    lowest_ = std::min(lowest_, sorted_[i]);
    highest_ = std::max(highest_, sorted_[(present_[i] - 1) * n + i]);
  }
}

std::size_t SortedWindow::active() const {
  return static_cast<std::size_t>(
      std::count_if(present_.begin(), present_.end(), [](std::uint32_t count) { return count > 0; }));
}

double SortedWindow::level(std::size_t component) const {
  const std::size_t count = present_[component];
  if (count == 0) return kMissing;
  const double low = order((count - 1) / 2)[component];
  const double high = order(count / 2)[component];
  return low + (high - low) / 2;
}

double SortedWindow::group_level() {
  if (group_level_known_) return group_level_;
  levels_.clear();
  for (std::size_t i = 0; i < components(); ++i) {
    if (present_[i] > 0) levels_.push_back(level(i));
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

}  // namespace laggard::analyse
