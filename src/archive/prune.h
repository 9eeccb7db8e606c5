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
  /// Only this host's files count and go, so that recorders of several hosts may share a folder; empty: all.
  std::string host;
  std::optional<Duration> keep_age;        ///< Files go when their day ended longer ago than this.
  std::optional<std::uint64_t> max_bytes;  ///< And the oldest ones until the rest is no larger.
};

struct Pruned {
  std::vector<std::filesystem::path> files;  ///< What was deleted, oldest first.
  std::uint64_t bytes_freed = 0;
  std::uint64_t bytes_left = 0;
};

/// Deletes the oldest day files of a recording, whichever stream they are of.
///
/// What is being written is never deleted: of a host that has a writer, all files that have a journal and,
/// when there are any, the last one (a clock that was set back continues an older one, an import has
/// several). The size limit spares the last file of every host and stream in any case, so that a limit below
/// one day's size keeps one day. \param now  the wall clock; a clock that is far ahead deletes by age what it
/// should not, which is why a
///             size limit alone is the safer setting where clocks are not trusted.
[[nodiscard]] Result<Pruned> prune(const std::filesystem::path& recording, const Retention& retention,
                                   WallTime now);

}  // namespace laggard::archive
