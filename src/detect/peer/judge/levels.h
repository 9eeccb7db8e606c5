#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

/// The members' levels in the metric of this quantity, in its unit; null where it is not among the columns.
/// \param levels  as WindowJudgement::levels: one row per column.
[[nodiscard]] const std::vector<double>* levels_of(std::span<const GroupJudge::Column> columns,
                                                   std::span<const std::vector<double>> levels,
                                                   Quantity quantity);

/// The median over the members of all that goes through a resource, in the unit of its metrics; NaN where one
/// of the two quantities that add up to it is not among the columns.
[[nodiscard]] double median_moved(std::span<const GroupJudge::Column> columns,
                                  std::span<const std::vector<double>> levels, Resource resource);

/// How much a group as a whole was moving in a window, in steps of four: 4^step bytes/s and more (**ours**).
/// A saturated disk lets its requests wait a hundred times as long as an idle one, and how unlike healthy
/// peers are then grows with it.
struct Load {
  std::int16_t step = 0;
  bool operator==(const Load&) const = default;
};

/// \param bytes_per_second  the median member's. Nothing for nothing, NaN and infinity.
[[nodiscard]] std::optional<Load> load_of(double bytes_per_second);
/// Of a group's storage in a window; nothing where reads or writes are not recorded.
[[nodiscard]] std::optional<Load> load_of(const WindowJudgement& window,
                                          std::span<const GroupJudge::Column> columns);

/// `over 1.05 MB/s`
[[nodiscard]] std::string to_text(Load load);

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
/// The same of busy times and requests per member, in any units.
[[nodiscard]] std::vector<double> slowdown_of(std::span<const double> busy, std::span<const double> requests);

/// T §6.1.1: "we need to distinguish disk-busy faults from normal saturation by the magnitude of the impact".
/// The thresholds of members whose slowdown is below Parameters::least_slowdown become at least `saturated`.
void ask_for_magnitude(std::span<const double> slowdown, const Parameters& parameters, double saturated,
                       std::span<double> thresholds);

}  // namespace laggard::detect
