#pragma once

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "engine/change_tracker.h"

namespace laggard::cmd {

/// What a watch keeps for its next start (`--state`): the number of the last change that was delivered, up to
/// when samples were judged, and the incidents that were told of, without their evidence. Written whole or
/// not at all, after every delivery; a change that was delivered and not yet noted is delivered again under
/// its number.
[[nodiscard]] Status write_watch_state(const std::filesystem::path& file,
                                       const engine::ChangeTracker::State& state);

/// Nothing when there is no such file yet.
[[nodiscard]] Result<std::optional<engine::ChangeTracker::State>> read_watch_state(
    const std::filesystem::path& file);

}  // namespace laggard::cmd
