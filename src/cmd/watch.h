#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cmd/analysis_setup.h"
#include "cmd/diagnose.h"
#include "cmd/observation_feed.h"
#include "engine/change_tracker.h"
#include "engine/diagnoser.h"
#include "model/change.h"

namespace laggard::cmd {

/// Where a watch says what happens.
struct WatchListener {
  /// Each change, in order; the tracker's state afterwards is what a restart goes on from.
  std::function<Status(const Change&)> change;
  std::function<void(const std::string&)> note;  ///< One sentence about the watching itself.
};

/// Follows recordings while they grow: reads what has come since it looked last, judges what can no longer
/// change, and tells what has become of each incident. Hosts are waited for until one has been silent for so
/// long that the others go on without it; what it brings later is counted and not judged.
///
/// When hosts or devices come that were not there before, everything is judged again with them, up to where
/// the watch was, without telling anything twice.
class Watch {
 public:
  struct Options {
    DiagnoseOptions diagnose;
    /// A host is silent when its samples end so much earlier than the newest ones.
    Duration silence = std::chrono::seconds(30);
  };

  Watch(Options options, WatchListener listener);

  /// Goes on from there; before the first poll.
  void restore(engine::ChangeTracker::State state) { restored_ = std::move(state); }

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
  [[nodiscard]] engine::ChangeTracker::State state() const;
  /// What is told of and not over.
  [[nodiscard]] std::vector<Incident> open() const;

 private:
  using DeviceKey = std::tuple<std::string, DeviceKind, std::string>;

  [[nodiscard]] Result<AnalysisSetup> prepare_live();
  [[nodiscard]] Result<bool> look();
  [[nodiscard]] Status begin();
  [[nodiscard]] Status judge_rest();
  [[nodiscard]] Status read_until(WallTime until);
  void verdict(const engine::Diagnoser& diagnoser, WallTime at, bool last);
  [[nodiscard]] std::vector<Incident> incidents(const engine::Diagnoser& diagnoser) const;
  using Streams = std::vector<ObservationStream>;
  [[nodiscard]] std::optional<WallTime> watermark(const Inventory& inventory, const Streams& streams);
  void note_late(const Streams& streams);
  void note_silence(const std::string& host, WallTime last, WallTime newest);
  [[nodiscard]] bool has_news(const Inventory& inventory) const;

  Options options_;
  WatchListener listener_;
  std::optional<engine::ChangeTracker::State> restored_;
  std::optional<engine::ChangeTracker> tracker_;
  std::unique_ptr<AnalysisSetup> setup_;
  std::unique_ptr<engine::Diagnoser> diagnoser_;
  std::set<DeviceKey> devices_;             ///< Disks and interfaces that the groups were made of.
  std::optional<WallTime> position_;        ///< Samples before this have been added.
  ObservationFeed::Counts read_;            ///< Events and profiles so far, ...
  ObservationFeed::Counts late_;            ///< ... and those that came too late to be.
  std::map<std::string, WallTime> silent_;  ///< Hosts that are not waited for, and their last sample.
  Status told_;                             ///< The listener's first failure.
};

}  // namespace laggard::cmd
