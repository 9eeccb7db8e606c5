#include "detect/behaviour/behaviour_training.h"

#include <algorithm>
#include <cmath>

namespace laggard::detect {

BehaviourParametersOfKinds default_behaviour() {
  /// B's 100 samples of 28 kHz are 3.6 ms of CPU; of 99 Hz that is less than one sample. **Ours**: ten of 99
  /// Hz.
  constexpr double kSamplesFloor = 0.1;
  constexpr double kTimeFloor = 1;  // "1 sec time"
  /// B counts the calls of the functions that time kept; here counts stand alone.
  constexpr double kCallsFloor = 100;
  constexpr double kGrainOf99Hz = 1.0 / 99;
  constexpr double kNanosecond = 1e-9;
  BehaviourParametersOfKinds all;
  all[0].unit = {.floor = kSamplesFloor, .grain = kGrainOf99Hz};
  all[1].unit = {.floor = kCallsFloor, .grain = 1};
  all[2].unit = {.floor = kTimeFloor, .grain = kNanosecond};
  for (BehaviourParameters& one : all) one.least = one.unit.floor;
  return all;
}

BehaviourTrainer::BehaviourTrainer(const Grouping& grouping) : servers_(grouping) {
  const BehaviourParametersOfKinds parameters = default_behaviour();
  for (std::size_t kind = 0; kind < kCodeKinds.size(); ++kind) {
    kinds_.push_back({.name = kCodeKinds.at(kind),
                      .parameters = parameters.at(kind),
                      .windows = FeatureWindows(parameters.at(kind).unit.floor)});
  }
}

void BehaviourTrainer::learn(Kind& kind, WallTime until) {
  for (const FeatureWindow& window : kind.windows.take(until)) {
    for (const auto& [group, hosts] : servers_.members(window)) {
      BehaviourFollower& follower = kind.groups.try_emplace(group, kind.parameters).first->second;
      const auto verdicts = follower.follow(window, hosts);
      if (!verdicts.empty()) ++kind.count[group];
      for (const BehaviourFollower::Verdict& verdict : verdicts) {
        kind.distances[{group, window.hosts[verdict.host]}].push_back(verdict.distance);
      }
    }
  }
}

void BehaviourTrainer::add(const ProfileTable& profile) {
  const auto kind = std::ranges::find(kinds_, profile.kind(), &Kind::name);
  if (kind == kinds_.end() || profile.size() == 0 || !servers_.is_compared(profile.host())) return;
  learn(*kind, profile.extent().from);
  kind->windows.add(profile);
}

std::vector<GroupThresholds> BehaviourTrainer::finish() {
  constexpr double kOverlap = to_seconds(FeatureWindows::kShift) / to_seconds(FeatureWindows::kWindow);
  std::vector<GroupThresholds> all;
  for (Kind& kind : kinds_) {
    learn(kind, WallTime::max());
    std::map<std::string_view, GroupThresholds> groups;
    for (const auto& [key, distances] : kind.distances) {
      GroupThresholds& group = groups[key.first];
      const double largest = trained_distance(distances, kind.parameters.unit);
      group.components[key.second] = largest;
      group.others = std::max(group.others, largest);
    }
    for (auto& [name, group] : groups) {
      group.distance = kind.name;
      group.metric = kind.name;
      group.group = name;
      group.windows = static_cast<double>(kind.count[name]) * kOverlap;
      all.push_back(std::move(group));
    }
  }
  return all;
}

TrainedBehaviour trained_behaviour(const Thresholds& thresholds) {
  TrainedBehaviour trained;
  for (const GroupThresholds& group : thresholds.groups) {
    if (std::ranges::find(kCodeKinds, group.distance) == kCodeKinds.end()) continue;
    trained[group.distance].insert(group.components.begin(), group.components.end());
  }
  return trained;
}

}  // namespace laggard::detect
