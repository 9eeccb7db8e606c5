#pragma once

#include <filesystem>
#include <optional>

#include "base/time.h"

namespace laggard::archive {

/// How long a recording counts as watched after it was marked.
inline constexpr Duration kWatchedFor = std::chrono::seconds(60);

/// Tells whoever writes a recording that somebody follows it, and that samples are waited for: touches a
/// hidden file in its folder of metrics, when somebody writes there at all. A modification time needs no
/// lock, outlives nobody by more than kWatchedFor, and works over a network. \param path  a recording, or a
/// folder of recordings.
///
/// Where the file cannot be made nothing happens: the recording may be read-only, and is watched all the
/// same.
void mark_watched(const std::filesystem::path& path);

/// Whether the recording was marked in the last kWatchedFor.
[[nodiscard]] bool is_watched(const std::filesystem::path& recording, WallTime now);

/// The same in its folder of events: asks recorders that keep the events of the last minutes in memory to
/// write them, because something was found.
void mark_wanted(const std::filesystem::path& path);

/// When that was asked last; nothing: never.
[[nodiscard]] std::optional<WallTime> wanted_at(const std::filesystem::path& recording);

}  // namespace laggard::archive
