#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard {

/// The whole file. Works for /proc and /sys too, whose sizes read as zero.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// A whole output (base/output_file.h): there as a whole or not at all, synced, with links and devices kept
/// what they are.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

/// Renames unless something stands at `to`. \return 0 or errno; EEXIST when something does.
[[nodiscard]] int rename_without_replacing(const std::filesystem::path& from,
                                           const std::filesystem::path& to);

/// A new file of this content, which appears as a whole, synced to disk with its folder; what stands there
/// already is left alone. 0644 less the umask. \return whether it was made.
[[nodiscard]] Result<bool> write_new_file(const std::filesystem::path& path, std::string_view content);

/// Makes names that were created in a folder survive a power cut, where the file system can.
[[nodiscard]] Status sync_folder(const std::filesystem::path& folder);

}  // namespace laggard
