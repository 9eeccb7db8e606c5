#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "base/error.h"

namespace laggard {

/// What the path of an output leads to, behind all links.
struct OutputTarget {
  std::filesystem::path file;        ///< Not a link itself, except in /proc; need not exist.
  std::optional<struct stat> there;  ///< What is there now.
  /// This process's own, named as /dev/stdout, /dev/fd/N or /proc/self/fd/N. To be written through a
  /// duplicate: opened anew, a file would be written from its beginning, over what the descriptor has written
  /// already.
  std::optional<int> descriptor;

  [[nodiscard]] std::filesystem::path folder() const;
  /// A regular file, or nothing yet: to be replaced. Everything else is written into.
  [[nodiscard]] bool replaceable() const;
};

/// Follows a chain of links, also to a file that does not exist yet. Refuses folders and endless chains.
[[nodiscard]] Result<OutputTarget> find_output_target(const std::filesystem::path& path);

}  // namespace laggard
