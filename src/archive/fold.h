#pragma once

#include <filesystem>
#include <string>

namespace laggard::archive {

/// Takes the write-ahead logs that crashes have left over into the host's files and finishes these, so that a
/// day that nobody goes on with is one plain file again. What is damaged stays as it is, for readers to
/// report. The caller holds the host's lock and has none of its files open.
void fold_logs(const std::filesystem::path& folder, const std::string& host, const char* vfs);

}  // namespace laggard::archive
