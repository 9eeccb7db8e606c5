#pragma once

#include <span>
#include <vector>

#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

/// How much longer than its peers each member is busy, over all or with a single request: the larger of the
/// ratios of %util and of %util / tps to the median of the others' (**ours**). A disk-hog's own requests make
/// its disk busier and each of them cheaper. In a closed loop the slowest of healthy disks saturates first
/// and everybody waits there: its latency is many times its peers' "despite no increase in workload",
/// "effectively mimicking a disk-busy fault" (T §6.1.1). But it is busy little more than they are, since it
/// is only a little slower, while a sick disk leaves its peers idle. Arrays that serve many requests at once
/// are busy whenever one of them is under way; a member that is hardly slower by this measure can still be
/// sick.
///
/// NaN for a member that did nothing or whose peers did; empty where busy times are not among the columns.
[[nodiscard]] std::vector<double> slowdown_of(const WindowJudgement& window,
                                              std::span<const GroupJudge::Column> columns);

/// T §6.1.1: "we need to distinguish disk-busy faults from normal saturation by the magnitude of the impact".
/// The thresholds of members whose slowdown is below Parameters::least_slowdown become at least `saturated`.
void ask_for_magnitude(std::span<const double> slowdown, const Parameters& parameters, double saturated,
                       std::span<double> thresholds);

}  // namespace laggard::detect
