#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "detect/peer/judge/anomalies.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/level_sums.h"
#include "model/grouping.h"
#include "stats/missing_values.h"

namespace laggard::detect {

/// Of each member of a group a number that those have alike whose LUNs the same controller owns, or serves
/// where no owner is known; 0 where there is none. Empty when nobody has one.
using Neighbourhoods = std::vector<std::size_t>;
[[nodiscard]] Neighbourhoods neighbourhoods_of(const Grouping& grouping, const PeerGroup& group);

/// Reads the sums of levels that the anomalies of one group hold: each is sorted once, however many anomalies
/// share it. None is made or changed while it lives.
class LevelBook {
 public:
  /// \param columns    of the group; they outlive it.
  /// \param anomalies  all that the group has, which outlive it, too: who has one is not among those who tell
  ///                   how far apart healthy members are.
  /// \param neighbourhoods  of the group; they outlive it, too.
  explicit LevelBook(std::span<const GroupJudge::Column> columns, std::vector<const Anomaly*> anomalies = {},
                     std::span<const std::size_t> neighbourhoods = {})
      : columns_(columns), anomalies_(std::move(anomalies)), neighbourhoods_(neighbourhoods) {}

  /// What there is to say of an anomaly's levels; of one that is over what was kept of them.
  [[nodiscard]] LevelSummary summary(const Anomaly& anomaly);

 private:
  using Columns = std::vector<std::size_t>;

  /// What members did, in one metric or in several added up.
  struct PeerLevels {
    std::vector<double> of;  ///< Per member, NaN where it was not recorded; empty when no metric was.
    stats::MedianOfOthers peers;
  };

  template <class Wanted>
  [[nodiscard]] const PeerLevels& over(const LevelSums& sums, const Wanted& wanted);

  /// How far apart those are over an anomaly's windows who have no anomaly then, and its own member left out:
  /// two sick alike do not vouch for each other. By all others when half of the group or more are suspected.
  [[nodiscard]] double scatter(const Anomaly& anomaly, const PeerLevels& all) const;

  /// Nothing where either are too few for their middle to say anything.
  [[nodiscard]] std::optional<ComparedLevel> neighbours(std::size_t member,
                                                        std::span<const double> levels) const;

  std::span<const GroupJudge::Column> columns_;
  std::vector<const Anomaly*> anomalies_;
  std::span<const std::size_t> neighbourhoods_;
  std::map<std::pair<const LevelSums*, Columns>, PeerLevels> known_;
};

/// Nothing was recorded of it in most of the windows, while its peers were: the device is gone.
[[nodiscard]] bool is_gone(const Anomaly& anomaly);

}  // namespace laggard::detect
