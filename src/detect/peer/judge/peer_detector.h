#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/workers.h"
#include "detect/peer/judge/group_follower.h"
#include "model/detector.h"
#include "model/diagnosis.h"
#include "model/plot.h"

namespace laggard::detect {

/// The peer comparison of series as one detector among others. It sees windows that a pipeline has judged
/// instead of observations.
class PeerDetector final : public Detector {
 public:
  using Columns = std::vector<GroupJudge::Column>;

  /// Everything outlives this. \param columns  per group of the grouping. \param workers  to follow groups at
  /// the same time; null: one after the other.
  PeerDetector(const Grouping& grouping, FollowOptions options, std::span<const Columns> columns,
               Workers* workers);
  PeerDetector(const PeerDetector&) = delete;
  PeerDetector& operator=(const PeerDetector&) = delete;
  ~PeerDetector() override = default;

  /// Windows of one run, in order.
  void follow(std::span<const JudgedWindow> windows);
  /// Nothing more comes.
  void finish();

  /// Windows are complete when they come.
  void complete(WallTime until) override { static_cast<void>(until); }
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::size_t kept() const override;
  void forget(std::span<const std::uint8_t> keep) override;

  /// By persistence, then severity, then name.
  [[nodiscard]] std::vector<RankedComponent> ranking() const;
  [[nodiscard]] std::vector<ScoreMap> score_maps() const;
  /// What the groups' own days taught; nothing before one is over, or where nobody learns.
  [[nodiscard]] std::optional<Thresholds> learnt() const;
  /// End of the last window that is in it.
  [[nodiscard]] std::optional<WallTime> learnt_until() const;
  /// The metrics in which somebody is judged.
  [[nodiscard]] std::set<std::string> metrics() const;

  /// Its state (base/state_codec.h) at the end of a run, for one of the same grouping and options.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.each(self.followers_);
  }

 private:
  const Grouping& grouping_;
  FollowOptions options_;
  std::span<const Columns> columns_;
  Workers* workers_;
  std::deque<GroupFollower> followers_;  ///< Per group.
  /// Groups that others ask, and all others; the largest first.
  std::vector<std::size_t> seconds_;
  std::vector<std::size_t> firsts_;
};

}  // namespace laggard::detect
