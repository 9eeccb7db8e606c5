#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/lock_file.h"

namespace laggard::archive {

/// The right to write a host's files in one stream folder: a lock on a hidden file there.
[[nodiscard]] Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host);

/// The same with a lock of another host there, which is given up.
[[nodiscard]] Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host,
                                         LockFile spare);

/// Whether some process holds it now.
[[nodiscard]] bool is_host_locked(const std::filesystem::path& folder, const std::string& host);

}  // namespace laggard::archive
