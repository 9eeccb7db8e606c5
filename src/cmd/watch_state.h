#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "engine/change_tracker.h"
#include "engine/checkpoint.h"
#include "model/incident.h"

namespace laggard::cmd {

/// What a watch keeps for its next start (`--state`): what it has told, what it has decided to tell, and
/// where its engine goes on.
struct WatchState {
  engine::ChangeTracker::State changes;
  /// Changes that count as told in `changes`, but of which it is not known yet that they were delivered.
  std::vector<Change> outbox;
  /// Of a moment up to which everything has been told: what is judged again after it is not told again.
  std::optional<engine::Checkpoint> engine;

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.changes, self.outbox, self.engine);
  }
};

/// Written whole or not at all.
[[nodiscard]] Status write_watch_state(const std::filesystem::path& file, const WatchState& state);

/// Nothing when there is no such file yet.
[[nodiscard]] Result<std::optional<WatchState>> read_watch_state(const std::filesystem::path& file);

}  // namespace laggard::cmd
