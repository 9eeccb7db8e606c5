#pragma once

#include <span>
#include <vector>

#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/training.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

/// How thresholds of a track are learnt under a preset. \param by_load  of one load alone: its windows come
/// and go, and k of 2k-1 of them would ask for more than the diagnosis does, which counts over all loads.
[[nodiscard]] TrainingSpec training_spec(const Preset& preset, const Policies& policies,
                                         const MetricSpec& metric, std::string_view detector, bool by_load);

/// The distances of those who were there, NaN of the others: absence is no behaviour to get used to, and its
/// distance would blind the whole group.
[[nodiscard]] std::vector<double> shown_distances(std::span<const GroupJudge::Column> columns,
                                                  const WindowJudgement& window,
                                                  const TrackJudgement& judgement);

/// What is learnt as the threshold of a track from the largest distance that is to stay quiet. Of congestion
/// windows it is a fraction: F trains that itself, in steps of a tenth like everything else, and does not
/// double it; ours does.
[[nodiscard]] double learnt_threshold(const TrainingSpec& spec, const Policies& policies,
                                      const MetricSpec& metric, double largest);

}  // namespace laggard::detect
