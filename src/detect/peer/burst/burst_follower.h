#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/parameters.h"
#include "model/decision.h"
#include "model/finding.h"
#include "model/grid.h"
#include "model/grouping.h"

namespace laggard::detect {

inline constexpr std::string_view kBurstDetector = "burst";

/// The probability that one of n members, whichever, has at least k of N bursts when each falls on any of
/// them alike: n P(X >= k), X ~ Binomial(N, 1/n); at most 1.
[[nodiscard]] double by_chance(std::size_t n, std::size_t k, std::size_t all);

/// Makes findings of what BurstWatch saw: who bursts again and again while its peers do not. Bursts of a
/// member that are at most `pause` cells apart are one. A member is found when it had `least_bursts` in one
/// metric within the past `horizon`, and so many of its group's that chance makes it with a probability
/// below `suspect`; it is confirmed below `confirm`. So noise that falls on all alike says nothing, however
/// much of it there is.
class BurstFollower {
 public:
  struct Options {
    BurstOptions burst{};
    std::int64_t pause = 3;  ///< In cells, as is the horizon; what lies beyond it is another finding.
    std::int64_t horizon = 1800;
    bool trained = false;  ///< The preset's thresholds were (RatioFollower::Options).
    Grid grid{};
  };
  /// `grouping` and `interventions` outlive this.
  BurstFollower(const Grouping& grouping, const Interventions& interventions, const Options& options)
      : grouping_(grouping), interventions_(interventions), options_(options) {}

  /// In the order of cells. \param position  of the cell (GapClock).
  /// \return whether a finding was opened, or confirmed.
  bool add(const SlowMember& burst, std::int64_t position);

  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  /// How long before its opening a finding may begin, in cells.
  [[nodiscard]] std::int64_t horizon() const { return options_.horizon; }
  /// \param now  position of the newest cell: a finding is open while its last burst is no longer ago than
  /// three times the longest pause between its bursts.
  [[nodiscard]] std::vector<Finding> findings(std::int64_t now) const;
  /// Drops those that are over for good. \param keep  per finding, not 0: stays.
  void forget(std::span<const std::uint8_t> keep);

  template <class State, class Self>
  static void exchange(State& state, Self& self);

 private:
  struct Burst {
    std::size_t member = 0;
    std::int64_t first = 0;  ///< Positions of its cells.
    std::int64_t last = 0;
    std::int64_t first_cell = 0;
    std::int64_t last_cell = 0;
    double value = 0;  ///< The largest of its cells, ...
    double peers = 0;  ///< ... and its peers' then.

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.member, self.first, self.last, self.first_cell, self.last_cell, self.value, self.peers);
    }
  };
  /// Whose bursts in what they are.
  struct Subject {
    std::size_t group = 0;
    std::size_t member = 0;
    const MetricSpec* metric = nullptr;
  };
  struct Found {
    Subject subject;
    Finding finding;
    std::int64_t longest_pause = 0;  ///< From the end of a burst to the next one's beginning.
    double bursts = 0;
    double others = 0;  ///< Of all other members together, by the time of the last one.
    double value = 0;   ///< Sums over the bursts.
    double peers = 0;
    double chance = 1;  ///< The smallest so far.
  };
  using Recent = std::deque<Burst>;  ///< Of a group in one metric, in the order in which they began.

  template <class State, class Self, class One>
  static void exchange_found(State& state, Self& self, One& found);
  template <class State, class Self>
  static void exchange_recent(State& state, Self& self);
  [[nodiscard]] bool has(std::size_t group, std::size_t member) const;
  [[nodiscard]] std::size_t component(const Subject& subject) const;
  [[nodiscard]] WallTime start(const Burst& burst) const { return options_.grid.end(burst.first_cell - 1); }
  [[nodiscard]] WallTime end(const Burst& burst) const { return options_.grid.end(burst.last_cell); }
  [[nodiscard]] Found* latest(const Subject& subject);
  [[nodiscard]] Found make(const Subject& subject) const;
  void forget_old(const Subject& subject, Recent& recent, std::int64_t position, std::int64_t cell) const;
  [[nodiscard]] bool goes_on(const Subject& subject, Recent& recent, const SlowMember& burst,
                             std::int64_t position);
  [[nodiscard]] bool judge(const Subject& subject, const Recent& recent);
  void extend(Found& found, const Burst& burst) const;
  [[nodiscard]] bool rate(Found& found, const Recent& recent, WallTime now) const;

  const Grouping& grouping_;
  const Interventions& interventions_;
  Options options_;
  std::map<std::pair<std::size_t, const MetricSpec*>, Recent> recent_;
  std::vector<Found> findings_;
};

}  // namespace laggard::detect
