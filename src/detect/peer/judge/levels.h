#pragma once

#include <span>
#include <vector>

#include "detect/peer/judge/group_judge.h"

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

}  // namespace laggard::detect
