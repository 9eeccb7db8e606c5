#pragma once

#include <filesystem>
#include <vector>

namespace laggard::archive {

/// Whether the folder holds streams (`metrics/`, `events/`, `profiles/`).
[[nodiscard]] bool is_recording(const std::filesystem::path& folder);

/// The path itself, and behind it the recordings that lie in it side by side, by name: a folder to which
/// every host's recording was copied stands for them all. What cannot be listed has none.
[[nodiscard]] std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& path);

}  // namespace laggard::archive
