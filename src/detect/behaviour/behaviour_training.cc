#include "detect/behaviour/behaviour_training.h"

#include <algorithm>

namespace laggard::detect {

void BehaviourTrainer::learn(WallTime until) {
  const auto keep = [&](const BehaviourComparer::Judged& judged) {
    Learnt& learnt = learnt_[{judged.comparison, std::string(judged.group)}];
    ++learnt.windows;
    for (const BehaviourFollower::Verdict& verdict : judged.verdicts) {
      learnt.distances[judged.window.hosts[verdict.host]].push_back(verdict.distance);
    }
  };
  comparer_.take(until, {.judged = keep});
}

void BehaviourTrainer::add(const ProfileTable& profile) {
  if (profile.size() == 0) return;
  learn(profile.extent().from);
  comparer_.add(profile);
}

std::vector<GroupThresholds> BehaviourTrainer::finish() {
  constexpr double kOverlap = to_seconds(FeatureWindows::kShift) / to_seconds(FeatureWindows::kWindow);
  learn(WallTime::max());
  std::vector<GroupThresholds> all;
  for (const auto& [key, learnt] : learnt_) {
    const BehaviourComparison& comparison = comparer_.comparisons()[key.first];
    GroupThresholds& group = all.emplace_back();
    group.distance = comparison.parameters.measure.name();
    group.metric = comparison.name;
    group.group = key.second;
    group.windows = static_cast<double>(learnt.windows) * kOverlap;
    for (const auto& [host, distances] : learnt.distances) {
      const double largest = trained_distance(distances, comparison.parameters.unit);
      group.components[host] = largest;
      group.others = std::max(group.others, largest);
    }
  }
  return all;
}

TrainedBehaviour trained_behaviour(const Thresholds& thresholds, const CodeMeasure& measure) {
  const std::vector<BehaviourComparison> comparisons = default_behaviour();
  TrainedBehaviour trained;
  for (const GroupThresholds& group : thresholds.groups) {
    const auto of_this = std::ranges::find(comparisons, group.metric, &BehaviourComparison::name);
    if (of_this == comparisons.end() || group.distance != measure.name()) continue;
    trained[group.metric].insert(group.components.begin(), group.components.end());
  }
  return trained;
}

std::vector<BehaviourComparison> behaviour_with(const TrainedBehaviour* trained, const CodeMeasure& measure) {
  std::vector<BehaviourComparison> comparisons = default_behaviour(measure);
  if (trained == nullptr) return comparisons;
  for (BehaviourComparison& comparison : comparisons) {
    const auto of_this = trained->find(std::string(comparison.name));
    if (of_this != trained->end()) comparison.parameters.trained = of_this->second;
  }
  return comparisons;
}

}  // namespace laggard::detect
