#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace laggard::archive {

/// What is wrong with naming this file as a recording, for an error or a notice; nothing when it may be one.
/// It may by its name or by SQLite's first bytes, so that a damaged archive is still called that, and when it
/// cannot be read, which others say better.
[[nodiscard]] std::optional<std::string> why_no_recording(const std::filesystem::path& path);

}  // namespace laggard::archive
