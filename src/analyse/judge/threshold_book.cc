#include "analyse/judge/threshold_book.h"

#include <algorithm>

namespace laggard::analyse {

std::string track_name(const MetricSpec& metric, Regime regime) {
  std::string name(metric.name);
  if (regime != Regime::kAny) name += " (" + std::string(to_name(regime)) + ")";
  return name;
}

ThresholdBook::Column ThresholdBook::column(const Track& track, const std::vector<std::string>& members,
                                            bool paper) const {
  const Constants& constants = track.constants;
  const ThresholdUse use{track.detector, track.regime, track.independent};
  const double prior = track.yardstick.at(self_threshold(constants, track.metric, use));
  const GroupThresholds* trained =
      thresholds_.find(track.detector, track_name(track.metric, track.regime), track.group);
  if (trained == nullptr) return {std::vector<double>(members.size(), prior), false};
  Column column;
  column.trained = true;
  if (paper) {
    for (const std::string& member : members) column.values.push_back(trained->of(member));
    return column;
  }
  double largest = trained->others;
  for (const auto& [component, threshold] : trained->components) largest = std::max(largest, threshold);
  const double own = std::max(largest, track.yardstick.at(least_threshold(constants, track.metric, use)));
  const double value = own + std::max(0.0, prior - own) * constants.prior_windows /
                                 (constants.prior_windows + trained->windows);
  column.values.assign(members.size(), value);
  return column;
}

}  // namespace laggard::analyse
