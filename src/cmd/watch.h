#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/reader.h"
#include "archive/reader_cache.h"
#include "base/error.h"
#include "base/time.h"
#include "cmd/analysis_setup.h"
#include "cmd/diagnose.h"
#include "cmd/grouped_devices.h"
#include "cmd/judge_shard.h"
#include "cmd/observation_feed.h"
#include "cmd/watch_state.h"
#include "cmd/watermark.h"
#include "engine/change_tracker.h"
#include "engine/diagnoser.h"
#include "model/incident.h"
#include "model/outcome.h"

namespace laggard::cmd {

/// Where a watch says what happens.
struct WatchListener {
  std::function<Status(const Change&)> change;   ///< Each change, in order.
  std::function<void(const std::string&)> note;  ///< One sentence about the watching itself.
  /// Changes have been decided (WatchState::outbox) and none of them delivered: what a restart needs in order
  /// to deliver the same has to be kept first. Empty: nobody restarts.
  std::function<Status()> decided = nullptr;
};

/// Follows recordings while they grow: reads what has come since it looked last, judges what can no longer
/// change, and tells what has become of each incident. Hosts are waited for until one has been silent for so
/// long that the others go on without it; what it brings later is counted and not judged.
///
/// When hosts or devices come that were not there before, what may still change is judged again with them, up
/// to where the watch was, without telling anything twice: everything since the first incident that is not
/// closed, and a thousand windows before it.
///
/// A restarted watch goes on from the engine's checkpoint: it reads as much of what lies before it as windows
/// look back. Where that does not fit, with other options or other peers, it judges again as above.
class Watch {
 public:
  struct Options {
    DiagnoseOptions diagnose;
    /// A host is silent when its samples end so much earlier than the newest ones.
    Duration silence = std::chrono::seconds(30);
    /// As ChangeTracker::Patience has them.
    Duration alarm_after{};
    Duration overload_alarm_after{};
  };

  Watch(Options options, WatchListener listener);

  /// Goes on from there; before the first poll.
  void restore(WatchState state);

  /// Reads and judges what has come. \return whether anything had. Recordings that are not there yet, or hold
  /// nothing yet, are waited for.
  [[nodiscard]] Result<bool> poll();
  /// Nothing more comes: judges what is left and tells the last of it.
  [[nodiscard]] Status finish();

  /// All samples before this have been judged; nothing before there were any.
  [[nodiscard]] std::optional<WallTime> complete_until() const { return position_; }
  /// To look more often than this changes next to nothing: a sixteenth of the distance of two windows, half
  /// of that of two short ones.
  [[nodiscard]] Duration patience() const;
  [[nodiscard]] WatchState state() const;
  /// The cell that the engine's checkpoint ends with; another one means that there is a new one to keep.
  [[nodiscard]] std::optional<std::int64_t> checkpoint_after() const;
  /// What judges; null before there is anything to judge.
  [[nodiscard]] const engine::Diagnoser* diagnoser() const { return diagnoser_.get(); }
  /// What is told of and not over.
  [[nodiscard]] std::vector<Incident> open() const;
  /// By what is open, and by whether enough was judged in the newest windows to call the rest well.
  [[nodiscard]] Outcome outcome() const { return outcome_now(open(), judged_); }
  [[nodiscard]] const Judged& judged() const { return judged_; }

 private:
  [[nodiscard]] Result<std::unique_ptr<archive::Reader>> open();
  [[nodiscard]] Result<AnalysisSetup> prepare_live();
  [[nodiscard]] Result<bool> look();
  [[nodiscard]] Status begin();
  [[nodiscard]] Status begin_with(const Inventory& inventory);
  [[nodiscard]] Result<engine::DiagnoserOptions> settings(std::optional<engine::Shard> shard);
  [[nodiscard]] std::optional<std::int64_t> judge_again_after() const;
  [[nodiscard]] Status start();
  [[nodiscard]] Status judge_rest();
  [[nodiscard]] Status read_until(archive::Reader& reader, WallTime until);
  [[nodiscard]] Status read_new(archive::Reader& reader, WallTime until);
  [[nodiscard]] Status open_work(SeriesSource& source, const ReadRequest& request,
                                 ObservationFeed& feed) const;
  void deliver();
  void verdict(const engine::Diagnoser& diagnoser, WallTime at, bool last);
  void note_judged(const Judged& now);
  using Streams = std::vector<ObservationStream>;
  void note_late(const Streams& streams);
  [[nodiscard]] Witnesses witnesses() const;

  Options options_;
  archive::ReaderCache cache_;
  WatchListener listener_;
  std::optional<engine::ChangeTracker::State> restored_;
  std::optional<engine::ChangeTracker> tracker_;
  std::unique_ptr<AnalysisSetup> setup_;
  std::unique_ptr<engine::Diagnoser> diagnoser_;
  GroupedDevices devices_;
  Watermark watermark_;
  std::optional<WallTime> position_;   ///< Samples before this have been added.
  std::optional<WallTime> read_from_;  ///< Until there is a position: from where on they are read.
  std::optional<std::int64_t> after_;  ///< The cells behind this one are judged; nothing: all.
  std::optional<LookBack> look_back_;  ///< For what is read before them.
  std::optional<ReadRequest> work_;    ///< For background work, as far as any is recorded.
  std::optional<engine::Checkpoint> checkpoint_;
  std::optional<WallTime> checkpointed_;       ///< Where we were then.
  std::vector<Change> outbox_;                 ///< Decided and not delivered.
  WallTime last_late_work_ = WallTime::min();  ///< Up to where what is recorded late has been read.
  ObservationFeed::Counts read_;               ///< Events and profiles so far, ...
  ObservationFeed::Counts late_;               ///< ... and those that came too late to be.
  Judged judged_;                              ///< At the last verdict.
  bool enough_ = true;                         ///< As it was noted, whether enough is judged.
  Status told_;                                ///< The listener's first failure.
};

}  // namespace laggard::cmd
