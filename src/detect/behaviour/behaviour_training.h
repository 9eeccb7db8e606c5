#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/behaviour/behaviour_comparer.h"
#include "detect/peer/compare/thresholds.h"
#include "model/grouping.h"
#include "model/profile.h"

namespace laggard::detect {

/// Learns from fault-free profiles how far servers are apart in each comparison (B §4.1, "Threshold
/// selection"): of each server the largest distance in any window, rounded up as trained_distance does.
class BehaviourTrainer {
 public:
  /// \param grouping  outlives this
  explicit BehaviourTrainer(const Grouping& grouping, const CodeMeasure& measure = {})
      : comparer_(grouping, default_behaviour(measure)) {}

  /// Tables by their first time, as ProfileReader has them.
  void add(const ProfileTable& profile);
  /// \return  a row for each comparison and group with a whole window: `metric` is the comparison, `distance`
  /// the name of its measure.
  [[nodiscard]] std::vector<GroupThresholds> finish();

 private:
  struct Learnt {
    std::map<std::string, std::vector<double>> distances;  ///< By host.
    std::size_t windows = 0;
  };
  void learn(WallTime until);

  BehaviourComparer comparer_;
  std::map<std::pair<std::size_t, std::string>, Learnt> learnt_;  ///< By comparison and group.
};

/// What was trained by this measure, by comparison and host.
using TrainedBehaviour = std::map<std::string, std::map<std::string, double>>;
[[nodiscard]] TrainedBehaviour trained_behaviour(const Thresholds& thresholds, const CodeMeasure& measure);
/// default_behaviour, with what was trained; null: nothing was.
[[nodiscard]] std::vector<BehaviourComparison> behaviour_with(const TrainedBehaviour* trained,
                                                              const CodeMeasure& measure);

}  // namespace laggard::detect
