#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "detect/logs/log_matcher.h"
#include "detect/logs/pattern_file.h"

namespace laggard::cmd {

/// What a line of a log says.
struct LogText {
  std::string text;             ///< Without the time and the names before it; all of it where no form fits.
  std::optional<int> severity;  ///< Where the line tells.
};

/// Hands over every line of a log, packed or not; blank ones, too.
[[nodiscard]] Status each_log_text(const std::filesystem::path& log,
                                   const std::function<Status(const LogText& line)>& take);

/// The library and, before it, the patterns of a site's file. \param file  receives them, and outlives the
/// matcher. \param path  empty: the library alone.
[[nodiscard]] Result<detect::LogMatcher> log_matcher(const std::string& path, detect::PatternFile& file);

}  // namespace laggard::cmd
