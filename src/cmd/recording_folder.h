#pragma once

#include <filesystem>

#include "base/error.h"

namespace laggard::cmd {

/// What the commands that write a recording do about its folder before and after: the archive makes it and
/// says what fails in the system's words, which are not a user's.

/// Refuses a path that is something else than a folder.
[[nodiscard]] Status check_recording_folder(const std::filesystem::path& recording);

/// Removes the folders of a recording that got nothing; leaves what holds something.
void remove_empty_recording(const std::filesystem::path& recording);

}  // namespace laggard::cmd
