#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/fd.h"

namespace laggard::collect {

/// Where files of a moment go that may be large: TMPDIR, else /var/tmp, which is on a disk where /tmp may be
/// memory.
[[nodiscard]] std::filesystem::path scratch_folder();

/// A file of our own in `folder` that has no name: nobody else can open it, and it is gone with its last
/// descriptor, however the process ends.
/// \param where  names the input in errors, which say what the file was for: `is unpacked`.
[[nodiscard]] Result<Fd> nameless_file(const std::filesystem::path& folder, const std::string& where,
                                       const std::string& purpose);

}  // namespace laggard::collect
