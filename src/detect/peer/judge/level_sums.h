#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/missing.h"

namespace laggard::detect {

/// A window's levels: per column of the group, a number per member. The trackers of a group hold them
/// together.
using LevelRows = std::vector<std::vector<double>>;
using SharedLevelRows = std::shared_ptr<const LevelRows>;

struct TrackedGroup;

/// The group's levels, summed over the windows of an anomaly: who did how much while this was going on.
class LevelSums {
 public:
  void add(const LevelRows& levels);
  /// Means of a column; NaN for members that never had a level.
  [[nodiscard]] std::vector<double> means(std::size_t column) const;
  /// In how many windows each member had a level in a column.
  [[nodiscard]] const std::vector<double>& windows(std::size_t column) const { return sums_[column].count; }
  [[nodiscard]] std::size_t columns() const { return sums_.size(); }

  template <class State, class Self>
  static void exchange(State& state, Self& self, const TrackedGroup& group);

 private:
  struct Sums {
    std::vector<double> sum;  ///< Per member.
    std::vector<double> count;
  };
  std::vector<Sums> sums_;
};

/// Lets anomalies share their sums as long as they hold the same windows: behind a failed controller hundreds
/// of attachments are sick at the same times, and what their group did meanwhile need be summed, and kept,
/// once.
class SharedLevelSums {
 public:
  using Ptr = std::shared_ptr<LevelSums>;

  /// From now on another window is the latest.
  void next_window() { grown_.clear(); }
  /// The sums (null: those of no window) with one window more, whose position tells it from others.
  [[nodiscard]] Ptr add(Ptr sums, std::int64_t position, const LevelRows& levels);

 private:
  /// What was made of which sums; holds on to both, so that an address means one thing.
  std::map<std::pair<std::int64_t, Ptr>, Ptr> grown_;
};

/// A level of one member beside those of its group's others, in one metric or in several added up.
struct ComparedLevel {
  double own = kMissing;
  double peers = kMissing;    ///< Median of the others, ...
  double scatter = kMissing;  ///< ... and how far they are apart (stats::MedianOfOthers).

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.own, self.peers, self.scatter);
  }
};

/// What a finding says of the levels over the windows of its anomaly. Sums are as wide as the group; this is
/// what is kept of them when an anomaly is over.
struct LevelSummary {
  std::optional<ComparedLevel> metric{};   ///< The anomaly's, without scatter; nothing: not recorded, ...
  std::optional<ComparedLevel> storage{};  ///< ... all that went through the storage, ...
  std::optional<ComparedLevel> network{};  ///< ... and through the network.
  /// Of a latency the median of the member's neighbours, and as `peers` that of all who are none; see
  /// LevelBook.
  std::optional<ComparedLevel> neighbours{};
  bool gone = false;  ///< Nothing was recorded of a device while its peers were there.

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.metric, self.storage, self.network, self.neighbours, self.gone);
  }
};

}  // namespace laggard::detect
