#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "detect/logs/log_pattern.h"

namespace laggard::detect {

/// Patterns that a site adds to the library, in TOML:
///
///     [[pattern]]
///     name = "acme-raid-degraded"
///     part = "array"                          # a kind of parts (model/parts.h)
///     severity = "error"                      # a severity of syslog; error where it is not said
///     class = "failure"                       # or recovery; failure where it is not said
///     match = 'acme: volume \S+ degraded'     # RE2, found somewhere in a line's text
///     samples = ["acme: volume v7 degraded"]  # each matches
///
/// Owns what the patterns are views of.
class PatternFile {
 public:
  /// An error, which is kBadUse, names line and reason. \param path  names the file in errors.
  [[nodiscard]] static Result<PatternFile> parse(std::string_view text, const std::string& path);

  [[nodiscard]] const std::vector<LogPattern>& patterns() const { return patterns_; }

 private:
  std::deque<std::string> texts_;  ///< Which stay where they are when it is moved.
  std::vector<LogPattern> patterns_;
};

/// Those of a file, then the library: what a site says comes first.
[[nodiscard]] std::vector<LogPattern> with_library(const PatternFile& file);

}  // namespace laggard::detect
