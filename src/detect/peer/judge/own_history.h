#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/training.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/levels.h"
#include "detect/peer/judge/parameters.h"
#include "detect/peer/judge/threshold_book.h"

namespace laggard::detect {

/// What a group's own days teach about it: thresholds that follow it (**ours**; docs/methods/judge.md,
/// Thresholds of its own history). A day of UTC is judged by the days before it alone, and one of which less
/// than two hours are recorded is part of the next.
///
/// Of each member and track a day leaves one number, its T* (ThresholdTrainer): the largest distance that k
/// of 2k-1 windows exceed, each distance counted up to the untrained threshold at most. When the next day
/// begins it is folded into what is known,
///   level = max(T*, level x 2^(-days / half-life)),
/// and so is the number of windows, which tells what the untrained threshold is still worth beside it
/// (ThresholdBook). A maximum is what a threshold has to stay above; that it decays forgets what does not
/// come back, and needs one number where a quantile would need a histogram.
///
/// Who was suspected on a day teaches nothing of that day. Who was repaired begins anew.
class OwnHistory {
 public:
  OwnHistory(std::string group, std::vector<std::string> members, const Preset& preset,
             const Parameters& parameters);

  /// A window that ends then is about to be judged.
  void enter(WallTime end);
  /// What `enter`'s window shows in a track, once it has been judged. \param ceiling  what a distance counts
  /// as at most: the untrained threshold, in the unit of the distance.
  void learn(const WindowJudgement& window, const TrackJudgement& track, std::optional<Load> load,
             std::span<const GroupJudge::Column> columns, double ceiling);
  /// The member is suspected: nothing is learnt of it from this day.
  void leave_out(std::size_t member) { left_out_[member] = 1; }
  void repaired(std::size_t member);
  /// The day is over: nothing more comes of it.
  void end_day();

  /// The thresholds in force today; not trained before a day is over.
  [[nodiscard]] const ThresholdBook& book() const { return book_; }
  /// From the first window that was learnt from to the last one that is in the book.
  struct Span {
    WallTime from;
    WallTime to;

    template <class State, class Self>
    static void exchange(State& state, Self& self);
  };
  [[nodiscard]] std::optional<Span> span() const { return span_; }

  /// The state (base/state_codec.h), for one of the same group and options.
  template <class State, class Self>
  static void exchange(State& state, Self& self);

 private:
  struct Track {
    const MetricSpec* metric = nullptr;
    bool by_load = false;
    std::string all_loads;  ///< Name of the track that this one is a part of; its own where it is none.
    TrainingSpec spec;
    ThresholdTrainer today;
    double windows_today = 0;
    double windows = 0;
    std::vector<double> levels;  ///< Per member; NaN: nothing is known.
  };
  using Key = std::pair<std::string, std::string>;  ///< track_name, detector

  template <class State, class Self>
  static void exchange_tracks(State& state, Self& self);
  Track& track(const Key& key, const MetricSpec& metric, const std::string& all_loads);
  void fold(Track& track, double kept) const;
  [[nodiscard]] double largest(const Track& track) const;
  void write_book();

  std::string group_;
  std::vector<std::string> members_;
  Preset preset_;
  Policies policies_;
  double half_life_days_;
  std::map<Key, Track> tracks_;
  std::vector<std::uint8_t> left_out_;  ///< Today.
  std::optional<std::int64_t> day_;     ///< Since the epoch; nothing: no window has come.
  Duration recorded_today_{};           ///< As windows follow each other.
  std::optional<std::int64_t> folded_;  ///< The day that was folded last.
  std::optional<Span> today_;           ///< Of the windows that were learnt from.
  std::optional<Span> span_;
  ThresholdBook book_;
};

}  // namespace laggard::detect
