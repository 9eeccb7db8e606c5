#include "detect/peer/judge/track_training.h"

#include <cmath>

#include "base/missing.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/judge/service_times.h"

namespace laggard::detect {

TrainingSpec training_spec(const Preset& preset, const Policies& policies, const MetricSpec& metric,
                           std::string_view detector, bool by_load) {
  TrainingSpec spec;
  const bool per_second = is_tested_each_second(policies, metric);
  spec.form = per_second || by_load ? TrainingForm::kSingle : preset.form;
  spec.k = preset.windows.k;
  spec.factor = preset.factor;
  if (is_judged_by_deviation(metric, policies)) {
    spec.form = TrainingForm::kSingle;
    spec.step = kDeviationStep;
    spec.factor = preset.deviation_factor;
  }
  if (detector == to_name(Distance::kKl) && policies.bounded_kl) {
    spec.ceiling = kl_ceiling(preset.windows.size, false, CompareOptions{}.kl_smoothing);
  }
  return spec;
}

std::vector<double> shown_distances(std::span<const GroupJudge::Column> columns,
                                    const WindowJudgement& window, const TrackJudgement& judgement) {
  std::vector<double> distances = judgement.distance;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].metric != judgement.metric) continue;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      if (std::isnan(window.levels[c][i])) distances[i] = kMissing;
    }
  }
  return distances;
}

double learnt_threshold(const TrainingSpec& spec, const Policies& policies, const MetricSpec& metric,
                        double largest) {
  if (metric.role != Role::kCongestion) return threshold_from(spec, largest);
  return is_tested_each_second(policies, metric) ? round_up_to_grid(largest, spec.step)
                                                 : spec.factor * largest;
}

}  // namespace laggard::detect
