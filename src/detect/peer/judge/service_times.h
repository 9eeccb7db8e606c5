#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/peer/compare/thresholds.h"
#include "detect/peer/compare/window.h"
#include "detect/peer/judge/parameters.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

// Service times of system calls as S §6 compares them (docs/methods/syscalls.md): in every second
//   r = the median of the members that are not faulty, and were not saturated in training,
// and a member is anomalous in that second when |x - r| exceeds its own threshold, which is the largest
// deviation that it had in training without faults. A member is anomalous in a window, here as for
// congestion windows, when it is in any of its seconds: its distance is the largest |x - r| of them.

/// Of two nobody can tell which one is odd.
inline constexpr std::size_t kLeastJudgedTogether = 3;

/// As evidence and thresholds files name it.
inline constexpr std::string_view kDeviationDetector = "deviation";

/// Thresholds are rounded up to whole microseconds, at least one, as finely as tracers write times: whoever
/// was always the median in training must not be convicted for a nanosecond. In ms.
inline constexpr double kDeviationStep = 0.001;

/// Whether a metric is judged so.
[[nodiscard]] constexpr bool is_judged_by_deviation(const MetricSpec& metric, const Policies& policies) {
  return policies.deviations && metric.is_service_time();
}

/// What training taught, by metric and group. While it goes on, thresholds are infinite.
using TrainedTimes = std::map<std::pair<std::string, std::string>, GroupThresholds>;

/// As a thresholds file has it.
[[nodiscard]] TrainedTimes trained_times(const Thresholds& thresholds);

/// The same of one member.
struct TrainedMember {
  double threshold = std::numeric_limits<double>::infinity();
  bool saturated = false;
};

/// Of the members of a group; empty where nothing was taught.
[[nodiscard]] std::vector<TrainedMember> trained_members(const TrainedTimes& trained, std::string_view metric,
                                                         const Grouping& grouping, std::size_t group);

/// What the members are held against in one second.
///
/// S does not say how it knows who is faulty. **Ours**: of those in the median the one that is farthest
/// beyond its threshold is left out, then the next, until none is beyond it; always fewer than half of those
/// that were seen and are not saturated, and at least three stay. \param times    one per member, in ms; a
/// mean that is not above 0 is of no call at all, and missing. \param members  empty: nobody is saturated or
/// faulty. \return NaN when fewer than three were seen: two cannot tell which of them is odd.
[[nodiscard]] double representative(std::span<const double> times, std::span<const TrainedMember> members);

/// Of each member the largest |x - r| over the seconds of a window that was not averaged; NaN of those that
/// were seen in no second that has an r.
[[nodiscard]] std::vector<double> largest_deviations(const Window& window,
                                                     std::span<const TrainedMember> members);

}  // namespace laggard::detect
