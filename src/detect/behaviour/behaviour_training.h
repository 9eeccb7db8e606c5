#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/behaviour/behaviour_follower.h"
#include "detect/behaviour/feature_windows.h"
#include "detect/behaviour/server_groups.h"
#include "detect/peer/compare/thresholds.h"
#include "model/code_profile.h"
#include "model/grouping.h"
#include "model/profile.h"

namespace laggard::detect {

/// The kinds of profiles that tell what servers do, and how each is compared.
inline constexpr std::array<std::string_view, 3> kCodeKinds{kSamplesKind, kCallsKind, kCallTimeKind};
using BehaviourParametersOfKinds = std::array<BehaviourParameters, kCodeKinds.size()>;
/// Without any training.
[[nodiscard]] BehaviourParametersOfKinds default_behaviour();

/// Learns from fault-free profiles how far servers are apart, kind by kind (B §4.1, "Threshold selection"):
/// of each server the largest distance in any window, rounded up as trained_distance does, in ms of CPU,
/// calls or ms.
class BehaviourTrainer {
 public:
  /// \param grouping  outlives this
  explicit BehaviourTrainer(const Grouping& grouping);

  /// Tables by their first time, as ProfileReader has them.
  void add(const ProfileTable& profile);
  /// \return  a row for each kind and group with a whole window: `distance` and `metric` are the kind.
  /// Distances are in
  ///          seconds or calls a window.
  [[nodiscard]] std::vector<GroupThresholds> finish();

 private:
  struct Kind {
    std::string_view name;
    BehaviourParameters parameters;
    FeatureWindows windows;
    std::map<std::string_view, BehaviourFollower> groups{};
    std::map<std::pair<std::string_view, std::string>, std::vector<double>>
        distances{};                                  ///< By group and host.
    std::map<std::string_view, std::size_t> count{};  ///< Windows of a group.
  };
  void learn(Kind& kind, WallTime until);

  ServerGroups servers_;
  std::vector<Kind> kinds_;
};

/// What was trained, by kind and host.
using TrainedBehaviour = std::map<std::string, std::map<std::string, double>>;
[[nodiscard]] TrainedBehaviour trained_behaviour(const Thresholds& thresholds);

}  // namespace laggard::detect
