#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/peer/compare/bias.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/findings.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/level_book.h"
#include "detect/peer/judge/own_history.h"
#include "detect/peer/judge/own_past.h"
#include "detect/peer/judge/score_history.h"
#include "detect/peer/judge/threshold_book.h"
#include "model/decision.h"
#include "model/metric.h"
#include "model/plot.h"

namespace laggard::detect {

/// What a group that is the second of double peer groups says about its members: a member of both is
/// anomalous only when it is so in both (T §6.2.3). Kept for the windows of a run of cells, so that groups
/// can be followed one after the other instead of cell by cell.
class SecondOpinions {
 public:
  using Flags = std::vector<std::uint8_t>;  ///< Per member: anomalous.

  void add(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector, Flags flags);

  /// Of the same window, as far as it was known at the cell at which `judged` was complete; null: nothing
  /// was.
  [[nodiscard]] const Flags* about(const JudgedWindow& judged, const MetricSpec* metric,
                                   const std::string& detector) const;

  /// The run is over: only its last window can still be asked for.
  void end_run();

  /// The state (base/state_codec.h) at the end of a run.
  template <class State, class Self>
  static void exchange(State& state, Self& self, std::size_t members);

 private:
  struct Opinion {
    std::int64_t cell = 0;
    std::int64_t window = 0;
    std::map<std::pair<const MetricSpec*, std::string>, Flags> flags;

    template <class State, class Self>
    static void exchange(State& state, Self& self, std::size_t members);
  };
  std::vector<Opinion> opinions_;  ///< By cell.
};

/// What a group's windows are held against.
struct FollowOptions {
  Preset preset;
  Parameters parameters;
  ThresholdBook thresholds;
  Interventions interventions;  ///< Of operators: who is left out or repaired, and when.
  bool bias = true;             ///< Look for what is a little slower in nearly every window, too.
  bool learn = false;           ///< Hold each day against what the group's own days before it taught.
};

/// What the windows of one peer group add up to: holds them against thresholds, cuts out anomalies, gathers
/// biases and scores. Groups can be followed at the same time, those that are second_only before the others,
/// which ask them.
class GroupFollower {
 public:
  /// Everything outlives this. \param columns  Pipeline::columns of the group.
  GroupFollower(const Grouping& grouping, std::size_t group, const FollowOptions& options,
                const std::vector<GroupJudge::Column>& columns);

  /// From now on the groups that are second of double peer groups are asked. \param all  of the grouping, in
  /// its order; they outlive this, too.
  void ask(const std::deque<GroupFollower>& all);
  /// The group's next window.
  void follow(const JudgedWindow& judged);
  /// Windows follow that are not in the run of those so far.
  void end_run() { opinions_.end_run(); }
  /// Nothing more comes. Repaired after the last window began: nothing has been seen of what is there now.
  void finish();

  [[nodiscard]] std::size_t members() const { return names_.size(); }
  [[nodiscard]] bool second_only() const { return peers().second_only; }
  [[nodiscard]] const PeerGroup& peers() const { return grouping_->groups[group_]; }
  [[nodiscard]] const std::deque<AnomalyTracker>& trackers() const { return trackers_; }
  /// Valid until the next window.
  [[nodiscard]] GroupAnomalies anomalies() const;
  /// How many these are.
  [[nodiscard]] std::size_t kept() const;
  /// Drops anomalies that are over for good. \param keep  per anomaly, as `anomalies` has them; not 0: stays.
  void forget(std::span<const std::uint8_t> keep);
  /// What was learnt; null where nothing is, or where others are judged for.
  [[nodiscard]] const OwnHistory* own_history() const { return own_history_ ? &*own_history_ : nullptr; }
  /// Empty for groups that are judged in nothing, or for others only.
  [[nodiscard]] std::optional<ScoreMap> score_map() const;

  /// Its state (base/state_codec.h) at the end of a run, for one of the same group and options. Scores, which
  /// judge nothing, are not part of it: the score map of a restored follower begins anew.
  template <class State, class Self>
  static void exchange(State& state, Self& self);

 private:
  template <class State, class Self>
  static void exchange_trackers(State& state, Self& self);

  /// Where a member must be anomalous too (double peer groups, T §6.2.3).
  struct Place {
    const SecondOpinions* opinions = nullptr;
    std::size_t member = 0;
  };

  void remember(const JudgedWindow& judged, std::span<const double> slowdown);
  void judge_tracks(const JudgedWindow& judged);
  void learn(const JudgedWindow& judged, const TrackJudgement& track, std::optional<Load> load);
  void leave_sick_out_of_past(WallTime end);
  void leave_suspects_out_of_history(WallTime end);
  void judge_bias(const JudgedWindow& judged);
  [[nodiscard]] bool is_seen_for_long(std::size_t member) const;
  void judge_standby(const JudgedWindow& judged);
  [[nodiscard]] double moved_in(const JudgedWindow& judged, std::size_t member) const;
  void note_work(const JudgedWindow& judged);
  void judge_absent(const JudgedWindow& judged);
  void clear_where_second_is_well(const JudgedWindow& judged, const MetricSpec* metric,
                                  const std::string& detector, ScoredTrack& track) const;
  void heed_repairs(WallTime start);
  [[nodiscard]] bool has_tracker(std::string_view detector) const;
  AnomalyTracker& tracker(const MetricSpec* metric, const std::string& detector);
  void feed(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector,
            ScoredTrack track);

  const Grouping* grouping_;
  std::size_t group_;
  const FollowOptions* options_;
  const std::vector<GroupJudge::Column>* columns_;
  std::vector<std::string> names_;  ///< Of the members.
  Neighbourhoods neighbourhoods_;
  std::deque<AnomalyTracker> trackers_;
  SharedLevelRows levels_;  ///< Of the window that is being followed.
  std::optional<BiasDetector> bias_;
  OwnPast past_;
  std::optional<OwnHistory> own_history_;
  ScoreHistory history_;
  SecondOpinions opinions_;  ///< Of this group; used when it is second_only.
  std::vector<std::optional<Place>> second_of_;
  bool redundant_ = false;                ///< Attachments that have better ones before them, and ...
  std::vector<std::uint8_t> has_worked_;  ///< ... which of them ever moved anything.
  std::int64_t last_position_ = 0;
  std::optional<WallTime> last_end_;
  WallTime last_start_ = WallTime::min();
};

}  // namespace laggard::detect
