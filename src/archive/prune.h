#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace laggard::archive {

struct Retention {
  /// Only this host's files are counted and deleted, so that recorders of several hosts may share a folder.
  /// Empty means all hosts.
  std::string host;
  std::optional<Duration> keep_age;        ///< Deletes files whose day ended longer ago than this.
  std::optional<std::uint64_t> max_bytes;  ///< Deletes the oldest files until the rest is no larger.
};

struct Pruned {
  std::vector<std::filesystem::path> files;  ///< The deleted files, oldest first.
  std::uint64_t bytes_freed = 0;
  std::uint64_t bytes_left = 0;
};

/// Deletes the oldest day files of a recording, of whichever stream.
///
/// Files that are being written are never deleted. If a host has a writer, these are all files that have a
/// journal (an older one when a clock was set back, several for an import), and the last one. The size limit
/// always spares the last file of every host and stream, so that a limit below one day's size keeps one day.
/// \param now  the wall clock. A clock that is far ahead deletes by age what it should not, so where clocks
///             are not trusted a size limit alone is the safer setting.
[[nodiscard]] Result<Pruned> prune(const std::filesystem::path& recording, const Retention& retention,
                                   WallTime now);

}  // namespace laggard::archive
