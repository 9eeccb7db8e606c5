#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// How a file system keeps what lies in a directory on one of its targets. Every call may hang.
class DirectoryPin {
 public:
  virtual ~DirectoryPin() = default;
  /// Makes the directory so that its files come to lie on the target; it may be there already. \return 0 or
  /// errno
  [[nodiscard]] virtual int make(const std::filesystem::path& directory) = 0;
  /// \return 0 when a file of the directory lies on the target, EXDEV when elsewhere, or why nobody can say
  [[nodiscard]] virtual int check(const std::filesystem::path& file) = 0;
};

/// A directory of a target's and a host's own, in what is mounted there: `.laggard-pings-HOST-PLACE`.
[[nodiscard]] std::filesystem::path pinned_directory(const PingTargetSpec& target, const PingOwner& owner);

/// Makes a directory that nobody else may look into, on a file system of that type. \return 0 or errno;
/// ENODEV where another one is in its place: what is mounted there is gone
[[nodiscard]] int make_directory_on(long file_system, const std::filesystem::path& directory);

/// What a program prints; where it fails, its first words of why.
[[nodiscard]] Result<std::string> run_tool(std::span<const std::string> words);

}  // namespace laggard::collect
