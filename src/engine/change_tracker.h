#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/incident_state.h"
#include "model/incident.h"

namespace laggard::engine {

/// Turns verdicts that follow each other into changes: what has become of each incident since it was told of
/// last. The same verdicts at the same moments give the same changes with the same numbers.
///
/// An incident that is explained or excluded is not told of, until it is no longer; one that becomes so is
/// told as explained or withdrawn. What has been told is not told again:
/// - It grew when a component is named that it was never told with, when blame or cause are others than was
///   told, or when it came back after it was told to be over. What comes and goes is one incident, and the
///   evidence of its findings may point to one part now and to another then: another blame or cause counts
///   when what was told has not been true for `lasting`, in the first `lasting` of an incident at once.
/// - It is quiet when nothing of it is anomalous any more. When it has come back once, the next pause proves
///   nothing, and it is told of as over when it is closed: quiet for as long as it would take to be another
///   incident.
/// - It is not opened before it has lasted for as long as an alarm of its mode has to, from its first
///   anomalous window to its last (K §VI-A: what heals by itself within a minute is no alarm, overload is one
///   after half an hour). What ends before that is never told of.
class ChangeTracker {
 public:
  struct Patience {
    Duration closed_after{};          ///< So long an incident is quiet before it is closed.
    Duration lasting{};               ///< So long another blame or cause has to hold before it is told.
    Duration alarm_after{};           ///< So long an incident has to last before it is told of first, ...
    Duration overload_alarm_after{};  ///< ... and one whose mode is overload; the longer one of both counts.
  };
  /// An incident as it was told of last.
  struct Told {
    ChangeKind kind = ChangeKind::kOpened;  ///< Of what is over: quiet or closed, whatever was told since.
    Incident incident;
    WallTime opened{};                       ///< When it was told of first.
    WallTime seen_until{};                   ///< Incident::seen_until by now.
    std::vector<std::string> named{};        ///< Components that it was told with, sorted.
    std::optional<WallTime> untrue_since{};  ///< Since when blame or cause are others than was told.
    bool came_back = false;                  ///< After it had been told to be over.

    template <class S, class Self>
    static void exchange(S& state, Self& self) {
      state.enumerator(self.kind, ChangeKind::kExplained);
      state(self.incident, self.opened, self.seen_until, self.named, self.untrue_since, self.came_back);
    }
  };
  /// What goes on after a restart where this left off.
  struct State {
    std::uint64_t number = 0;  ///< Of the last change.
    WallTime at = WallTime::min();
    std::vector<Told> told;

    template <class S, class Self>
    static void exchange(S& state, Self& self) {
      state(self.number, self.at, self.told);
    }
  };

  explicit ChangeTracker(Patience patience) : patience_(patience) {}

  /// The verdict for which samples were complete until `at`, which lies after the one before. Incidents keep
  /// the ids under which they were told of (explain::keep_known_ids).
  [[nodiscard]] std::vector<Change> update(std::vector<Incident> incidents, WallTime at);
  /// The last verdict of all: whatever of it differs from what was told is told.
  [[nodiscard]] std::vector<Change> finish(std::vector<Incident> incidents, WallTime at);

  [[nodiscard]] WallTime at() const { return at_; }
  /// What is told of and not over.
  [[nodiscard]] std::vector<Incident> open() const;
  [[nodiscard]] State state() const;
  void restore(State state);

 private:
  void call_as_known(std::vector<Incident>& incidents) const;
  void tell(ChangeKind kind, const Incident& incident, std::vector<Change>& changes, std::string into = "");
  void look_at(const Incident& incident, std::vector<Change>& changes);
  void look_at_known(Told& told, const Incident& incident, std::vector<Change>& changes);
  [[nodiscard]] bool is_renamed(const Told& told) const;
  [[nodiscard]] bool is_alarm(const Incident& incident) const;
  void look_for_lost(std::span<const Incident> incidents, std::vector<Change>& changes);

  Patience patience_;
  std::uint64_t number_ = 0;
  WallTime at_ = WallTime::min();
  std::map<std::string, Told> told_;  ///< By id.
};

}  // namespace laggard::engine
