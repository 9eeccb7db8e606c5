#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "archive/file_name.h"
#include "base/error.h"

/// Which paths the day files of a writer have in a stream's folder, and which are free for another one.

namespace laggard::archive {

/// The paths of a writer's files, sorted, perhaps among those of thousands of hosts. Names are compared as
/// they are read, since this is done for every file that is begun. \param day  only that one; nothing: all.
[[nodiscard]] Result<std::vector<std::filesystem::path>> files_of(
    const std::filesystem::path& folder, const WriterName& writer,
    std::optional<std::int64_t> day = std::nullopt);

/// Whether neither the path is taken nor that of a side file of it: SQLite would apply a log there to
/// whatever file gets the name.
[[nodiscard]] bool is_name_free(const std::filesystem::path& path);

/// Whether no file can be made at a path, because another boot or something else has taken it. (SQLite would
/// create the target of a link, wherever that is.)
[[nodiscard]] bool is_path_taken(const std::filesystem::path& path, const char* vfs);

}  // namespace laggard::archive
