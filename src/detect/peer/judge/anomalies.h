#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/peer/compare/filter.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/level_sums.h"
#include "model/finding.h"

namespace laggard::detect {

class LevelBook;
class OwnPast;

/// The score s / T of a window; 0 where nothing was judged.
[[nodiscard]] double score_of(double distance, double threshold);

/// Numbers of members most of which are 0.
class SparseNumbers {
 public:
  SparseNumbers() = default;
  explicit SparseNumbers(std::span<const double> numbers);
  [[nodiscard]] double operator[](std::size_t member) const;
  void clear(std::size_t member);
  [[nodiscard]] std::vector<double> of(std::size_t members) const;

 private:
  std::vector<std::uint32_t> members_;  ///< Ascending.
  std::vector<double> numbers_;
};

/// Numbers of members that are mostly one and the same.
class UniformNumbers {
 public:
  UniformNumbers() = default;
  explicit UniformNumbers(std::span<const double> numbers);
  [[nodiscard]] double operator[](std::size_t member) const {
    return numbers_[numbers_.size() == 1 ? 0 : member];
  }
  [[nodiscard]] std::vector<double> of(std::size_t members) const;

 private:
  std::vector<double> numbers_;  ///< One for all, or one for each.
};

/// What the trackers of a group have in common while their states are saved or restored.
struct TrackedGroup {
  /// The levels of a window that some of them remember.
  struct Levels {
    WallTime start;
    SharedLevelRows rows;
  };
  std::size_t columns = 0;
  std::size_t members = 0;
  std::vector<Levels> recent = {};

  /// Null when there is none.
  [[nodiscard]] const Levels* find(WallTime start) const;
  template <class State>
  void exchange_recent(State& state, std::size_t most);
};

/// Detectors other than distances, as evidence names them.
inline constexpr std::string_view kBiasDetector = "bias";
inline constexpr std::string_view kAbsentDetector = "absent";
inline constexpr std::string_view kStandbyDetector = "standby";

/// A stretch of windows in which one member of a group is faulty in one metric.
struct Anomaly {
  std::size_t group = 0;
  std::size_t member = 0;
  const MetricSpec* metric = nullptr;
  std::string detector;
  WallTime since;                            ///< Start of the first anomalous window.
  WallTime faulty_since;                     ///< End of the window in which it became faulty.
  std::optional<WallTime> persistent_since;  ///< The same, by k of 2k-1 windows alone.
  std::optional<WallTime> confirmed_since;
  WallTime opened;                       ///< End of the window that opened it; never changes,
  Symptom opened_as = Symptom::kSlower;  ///< nor does what was wrong by then.
  std::optional<WallTime> until;         ///< End of the last anomalous window, once it is over.
  std::int64_t first_position = 0;       ///< WindowJudgement::position of the first anomalous window
  std::int64_t last_position = 0;        ///< and of the last one.
  std::int64_t persistence = 0;          ///< Largest so far.
  double severity = 0;                   ///< Largest so far.
  double strength = 0;                   ///< k-th largest score: the robust peak.
  double distance = 0;                   ///< Of the worst window, with what it was held against.
  double threshold = 0;
  double score = 0;
  WallTime worst_window;
  std::vector<WallTime> windows;  ///< Starts of anomalous windows, at most kMostWindows.
  /// Of the anomalous windows: null before the first, and ...
  std::shared_ptr<LevelSums> levels;
  std::optional<LevelSummary> summary;  ///< ... when it is over, which has this instead.
  std::size_t bad = 0;                  ///< Anomalous windows.
  /// Windows between the first and the last of them in which the member was like its peers, by half of the
  /// threshold at least, and the group was not idle,
  std::size_t well = 0;
  std::size_t pauses = 0;      ///< and how many runs they make.
  std::size_t well_since = 0;  ///< Such windows after the last anomalous one, until the next anomaly.
  /// From its opening until it is confirmed, at most kMostGrowth: what tells when several together are. Empty
  /// for detectors that know themselves when they are sure.
  std::vector<Growth> growth;
  bool trained = false;
  /// It would be confirmed, were its member not as slow as it ever was (own_past.h).
  bool as_ever = false;

  /// It was confirmed, and turned out to be a burst.
  bool withdrawn = false;

  [[nodiscard]] bool confirmed() const { return confirmed_since.has_value(); }
  /// Without what its tracker knows: group, metric, detector, levels.
  template <class State, class Self>
  static void exchange(State& state, Self& self);
};
/// More windows than any detector gathers its evidence over.
inline constexpr std::size_t kLongestReach = 256;
inline constexpr std::size_t kMostWindows = 1000;
inline constexpr std::size_t kMostGrowth = 100;

/// Of what was gathered, the first and what rose above all before it: whoever adds several members up looks
/// at the highest of each so far.
void keep_records(std::vector<Growth>& growth);

/// When a faulty component counts as confirmed.
struct ConfirmGate {
  std::int64_t persistence = 1;
  double severity = 6;
};

/// One window of one metric and detector of a group, held against thresholds.
struct ScoredTrack {
  std::vector<double> distance;
  std::vector<double> threshold;
  std::vector<double> below{};          ///< As in TrackJudgement; empty: no two sides.
  std::vector<std::uint8_t> certain{};  ///< Not empty: what the detector itself is sure of, beside the gate.
  /// Not empty: over how many windows before this one the distance was gathered; the anomaly began that long
  /// ago.
  std::vector<std::size_t> reach{};
  /// Not empty: members of which single windows have told for longer than a burst lasts. They are sick.
  std::vector<std::uint8_t> seen_for_long{};
  bool trained = false;
  bool idle = false;  ///< The group did too little in this window for the metric to say anything.
  /// Not null: whoever is as slow as ever by this, which knows the window, is not confirmed.
  const OwnPast* past = nullptr;
};

/// Follows one metric and detector of one group through the windows: filters, accumulates, and cuts out
/// anomalies.
///
/// A member is faulty while it is anomalous in k of the past 2k-1 windows (FaultFilter), and also from the
/// first window in which its severity reaches `gate_severity` while it is anomalous: short and severe
/// problems need not wait for k windows. Anomalies that follow each other within 2k-1 windows, on the clock
/// that stands still in gaps, are one.
class AnomalyTracker {
 public:
  struct Options {
    FilterSpec filter;
    std::size_t shift = 1;  ///< Cells between two windows.
    double gate_severity = 6;
    ConfirmGate confirm;
    /// Instead, while it may be a surge of work; nothing: the same.
    struct Surge {
      double factor = 4;  ///< Less than so many times what the peers do.
      ConfirmGate confirm;
    };
    std::optional<Surge> surge{};
    /// What is confirmed is withdrawn when it was a burst: so many anomalous windows at most, and as many, or
    /// these, in which the member was well since; 0: nothing is.
    std::size_t longest_burst = 0;
    std::size_t least_calm = 0;
    /// Cells after a burst in which what comes again is none.
    std::int64_t relapse = 0;
    std::optional<std::size_t> column{};  ///< The metric's among WindowJudgement::levels; nothing: in none.
  };
  AnomalyTracker(std::size_t group, std::size_t members, const MetricSpec* metric, std::string detector,
                 Options options);

  /// \param levels  those of the window.
  void add(const WindowJudgement& window, const SharedLevelRows& levels, const ScoredTrack& track);
  /// Drops what only those that go on need. \param book  of the group's columns.
  void settle(LevelBook& book);
  /// All that counted against the member is forgotten; its anomaly is over, and what follows is another.
  void repaired(std::size_t member);
  /// Drops anomalies that are over for good: more than 2k-1 windows ago. \param keep  per anomaly, not 0:
  /// stays.
  void forget(std::span<const std::uint8_t> keep);

  [[nodiscard]] const std::vector<Anomaly>& anomalies() const { return anomalies_; }
  [[nodiscard]] std::span<const ComponentState> states() const { return filter_.states(); }
  /// From the first to the last anomalous window of a member's anomaly, while it is not over; else 0.
  [[nodiscard]] std::int64_t anomalous_cells(std::size_t member) const;
  [[nodiscard]] const MetricSpec& metric() const { return *metric_; }
  [[nodiscard]] const std::string& detector() const { return detector_; }
  [[nodiscard]] std::size_t group() const { return group_; }

  /// Adds the levels of the windows that it will still need and that are not there yet.
  void list_recent(TrackedGroup& group) const;
  /// Its state (base/state_codec.h) but for those levels, for one of the same options.
  template <class State, class Self>
  static void exchange(State& state, Self& self, const TrackedGroup& group);

 private:
  /// What is remembered of a recent window, in case it turns out to belong to an anomaly.
  struct Recent {
    std::int64_t position = 0;
    WallTime start;
    WallTime end;
    SharedLevelRows levels;
    SparseNumbers distance;  ///< 0 of a member that was repaired since.
    UniformNumbers threshold;
    bool trained = false;
    bool idle = false;

    [[nodiscard]] double score(std::size_t member) const {
      return score_of(distance[member], threshold[member]);
    }

    template <class State, class Self>
    static void exchange(State& state, Self& self, const TrackedGroup& group);
  };

  /// How many of the latest windows the next one does not push out.
  [[nodiscard]] std::size_t windows_kept() const;
  template <class State, class Self>
  static void exchange_recent(State& state, Self& self, const TrackedGroup& group);
  template <class State, class Self>
  static void exchange_seen(State& state, Self& self);
  template <class State, class Self>
  static void exchange_levels(State& state, Self& self, const TrackedGroup& group);
  template <class State, class Self>
  static void exchange_anomalies(State& state, Self& self);

  /// Anomalies that follow each other within this are one, in cells.
  [[nodiscard]] std::int64_t span() const {
    return static_cast<std::int64_t>((2 * options_.filter.k - 1) * options_.shift);
  }
  [[nodiscard]] bool is_over(std::size_t anomaly) const;
  void open(std::size_t member, const ScoredTrack& track);
  static void note_well(Anomaly& anomaly, const Recent& window);
  void extend(Anomaly& anomaly, const Recent& window, bool anomalous);
  void reach_back(Anomaly& anomaly, std::size_t windows);
  void step(std::size_t member, bool anomalous, const ScoredTrack& track);
  [[nodiscard]] const ConfirmGate& gate_of(const Anomaly& anomaly) const;
  void confirm(Anomaly& anomaly, bool faulty, const ScoredTrack& track);
  void withdraw_burst(std::size_t member, bool anomalous, const ScoredTrack& track);
  [[nodiscard]] bool is_as_ever(const Anomaly& anomaly, const OwnPast& past) const;

  std::size_t group_;
  const MetricSpec* metric_;
  std::string detector_;
  Options options_;
  FaultFilter filter_;
  std::vector<Recent> recent_;  ///< The past 2k-1 windows, oldest first.
  struct Seen {
    WallTime start;
    std::int64_t position = 0;
  };
  std::deque<Seen> seen_;  ///< The windows that a detector's reach may go back to, where it has one.
  SharedLevelSums sums_;
  std::vector<Anomaly> anomalies_;
  /// Of a member, where bursts are withdrawn: its last stretch of anomalous windows, however many anomalies
  /// it is, and how many windows it has been well since.
  struct Stretch {
    WallTime begin{};  ///< End of its first window.
    std::uint64_t bad = 0;
    std::uint64_t calm = 0;
    bool no_burst = false;  ///< Single windows have told of it for long, or one was withdrawn shortly before.
    std::optional<std::int64_t> withdrawn{};  ///< Position of the window in which the last burst was.
  };
  std::vector<Stretch> stretches_;
  std::vector<std::optional<std::size_t>> latest_;  ///< Per member, the anomaly that was opened last.
  std::vector<std::vector<double>> best_scores_;    ///< Per anomaly, its k largest scores.
};

}  // namespace laggard::detect
