#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard {

/// The whole file. Works for /proc and /sys too, whose sizes read as zero.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// Writes beside the target and renames over it, so that nobody ever sees half of it; synced to disk. A link
/// stays a link to the file that is replaced; a device, pipe or terminal (/dev/null, /dev/stdout) is written
/// into.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace laggard
