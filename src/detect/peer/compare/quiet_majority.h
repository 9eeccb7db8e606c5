#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/missing.h"
#include "detect/peer/compare/sorted_window.h"

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

}  // namespace laggard::detect
