#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analyse/judge/group_judge.h"

namespace laggard::analyse {

/// The members' levels in a metric, in its unit; null where it is not among the columns.
/// \param levels  as WindowJudgement::levels: one row per column.
[[nodiscard]] const std::vector<double>* levels_of(std::span<const GroupJudge::Column> columns,
                                                   std::span<const std::vector<double>> levels,
                                                   std::string_view metric);

/// The median over the members of the sum of two metrics' levels; NaN where one is not among the columns.
[[nodiscard]] double median_of_sum(std::span<const GroupJudge::Column> columns,
                                   std::span<const std::vector<double>> levels, std::string_view one,
                                   std::string_view other);

}  // namespace laggard::analyse
