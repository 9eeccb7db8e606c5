#include "detect/peer/compare/bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace laggard::detect {

std::uint32_t Bins::bin_of(double x) const {
  if (!(x <= std::numeric_limits<double>::max())) return missing();
  const double bin = std::floor((x - lowest) / size);
  return static_cast<std::uint32_t>(std::clamp(bin, 0.0, static_cast<double>(count - 1)));
}

Bins choose_bins(const SortedWindow& window, const BinRule& rule, std::vector<double>& scratch,
                 stats::QuantileSelector& selector) {
  LAGGARD_CHECK(window.has_samples() && rule.cap >= 1);
  const double range = window.highest() - window.lowest();
  const auto cap = static_cast<double>(rule.cap);
  Bins bins{.lowest = window.lowest(), .size = 1, .count = 1};
  // The second clause: a range so tiny that a thousandth of it is no number any more.
  if (range == 0 || range / cap == 0) return bins;

  double spread = 0;
  if (window.active() < rule.mad_below) {
    spread = stats::mad(window.samples(), scratch);
  } else {
    const auto [lower, upper] = window.quartiles(selector);
    spread = upper - lower;
  }
  bins.size = 2 * spread / std::cbrt(static_cast<double>(window.size()));
  if (spread == 0) bins.size = std::max(range / cap, rule.noise_floor);
  if (rule.floor_use == FloorUse::kAlways) bins.size = std::max(bins.size, rule.noise_floor);
  const double wanted = std::ceil(range / bins.size);
  if (wanted <= cap) {
    bins.count = static_cast<std::uint32_t>(std::max(wanted, 1.0));
  } else {
    bins.count = static_cast<std::uint32_t>(rule.cap);
    bins.size = range / cap;
  }
  return bins;
}

}  // namespace laggard::detect
