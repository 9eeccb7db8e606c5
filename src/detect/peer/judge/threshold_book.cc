#include "detect/peer/judge/threshold_book.h"

#include <algorithm>
#include <cmath>

namespace laggard::detect {

namespace {

double largest_of(const GroupThresholds& trained) {
  double largest = trained.others;
  for (const auto& [component, threshold] : trained.components) largest = std::max(largest, threshold);
  return largest;
}

double share_of_prior(const GroupThresholds& trained, const Parameters& parameters) {
  return parameters.prior_windows / (parameters.prior_windows + trained.windows);
}

}  // namespace

std::string track_name(const MetricSpec& metric, Regime regime, std::optional<Load> load) {
  std::string name(metric.name);
  if (regime == Regime::kAny) return name;
  name += " (" + std::string(to_name(regime));
  if (load) name += ", " + to_text(*load);
  return name + ")";
}

ThresholdBook::Column ThresholdBook::column(const Track& track,
                                            const std::vector<std::string>& members) const {
  const Parameters& parameters = track.parameters;
  const ThresholdUse use{track.detector, track.regime, track.independent, members.size()};
  const double prior = track.scale.at(self_threshold(parameters, track.metric, use));
  const auto trained_as = [&](std::optional<Load> load) {
    return thresholds_.find(track.detector, track_name(track.metric, track.regime, load), track.group);
  };
  const GroupThresholds* trained = trained_as(std::nullopt);
  if (trained == nullptr) return {std::vector<double>(members.size(), prior), false};
  Column column;
  column.trained = true;
  if (!parameters.policies.pooled_thresholds) {
    for (const std::string& member : members) column.values.push_back(trained->of(member));
    return column;
  }
  const double least = track.scale.at(least_threshold(parameters, track.metric, use));
  const double own = std::max(largest_of(*trained), least);
  double value = own + std::max(0.0, prior - own) * share_of_prior(*trained, parameters);
  const GroupThresholds* under_load =
      track.load && track.regime != Regime::kAny ? trained_as(track.load) : nullptr;
  const double here = under_load != nullptr ? std::max(largest_of(*under_load), least) : value;
  if (here < value) value = here * std::pow(value / here, share_of_prior(*under_load, parameters));
  column.values.assign(members.size(), value);
  return column;
}

}  // namespace laggard::detect
