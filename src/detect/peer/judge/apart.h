#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/metric.h"

namespace laggard::detect {

/// When several members of a group stand apart from the rest.
struct ApartOptions {
  BadDirection bad = BadDirection::kHigher;
  double floor = 0;      ///< Differences below it are noise.
  double least_gap = 3;  ///< Of the gap, to the spread of the rest on that side of its median.
  /// What each member does, in noise floors of its throughput; empty: not known, and nobody is idle.
  std::span<const double> activity = {};
  /// Requests of each member, where they tell a slow one from a busy one; empty: they do not.
  std::span<const double> requests = {};
  /// How much longer than its peers each is busy (slowdown_of), and how much of that tells a slow one from
  /// one that is only waited for; empty: they do not.
  std::span<const double> slowdown = {};
  double least_slowdown = 0;
};

/// The members that stand apart from the rest of their group in one window, the farthest first; empty when
/// there are none or but one (**ours**, docs/methods/judge.md).
///
/// Quartiles of all samples break down when a quarter of them is sick, and are stretched long before: with
/// two sick disks of nine the bins are so wide that neither stands out, although either alone would. So who
/// is sick together with others is looked for in the members' levels first. The k highest, with
/// 2 <= k < n/2, stand apart when
///   lowest of them - m > (1 + least_gap) max(highest of the rest - m, floor),   m = median of the rest,
/// at least three quarters of the rest are active, so that those who alone have work are not taken for sick,
/// they are not asked for more (their median requests are at most half as many again as the others'), and
/// they are not only waited for (their median slowdown is not below `least_slowdown`). The largest such k
/// counts; for BadDirection::kBoth the lowest are looked at alike, and the larger set counts.
///
/// \param levels  a member's mean over the window each; NaN of who has none, who is of neither set.
[[nodiscard]] std::vector<std::uint32_t> standing_apart(std::span<const double> levels,
                                                        const ApartOptions& options);

}  // namespace laggard::detect
