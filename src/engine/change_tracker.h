#pragma once

#include <cstdint>
#include <map>
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
/// told as explained or withdrawn. It is quiet when nothing of it is anomalous any more, and closed when it
/// has been quiet for as long as it would take to be another incident. It grew when the blame, the cause, or
/// the components are others than before, or when it came back.
class ChangeTracker {
 public:
  /// An incident as it was told of last.
  struct Told {
    ChangeKind kind = ChangeKind::kOpened;
    Incident incident;

    template <class S, class Self>
    static void exchange(S& state, Self& self) {
      state.enumerator(self.kind, ChangeKind::kExplained);
      state(self.incident);
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

  /// \param closed_after  how long an incident is quiet before it is closed.
  explicit ChangeTracker(Duration closed_after) : closed_after_(closed_after) {}

  /// The verdict for which samples were complete until `at`, which lies after the one before. Incidents keep
  /// the ids under which they were told of (explain::keep_known_ids).
  [[nodiscard]] std::vector<Change> update(std::vector<Incident> incidents, WallTime at);
  /// The last verdict of all: also tells of what is still open and has changed in any way.
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
  void look_for_lost(std::span<const Incident> incidents, std::vector<Change>& changes);

  Duration closed_after_;
  std::uint64_t number_ = 0;
  WallTime at_ = WallTime::min();
  std::map<std::string, Told> told_;  ///< By id.
};

}  // namespace laggard::engine
