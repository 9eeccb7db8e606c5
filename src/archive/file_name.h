#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

/// Names of day files: HOST-20110509T000005Z.lgd, with the UTC time of the first sample (T §3.2.2, §5.9), so
/// that sorting names sorts time.

namespace laggard::archive {

struct FileName {
  std::string host;
  WallTime start;
  int copy = 1;  ///< From 2 on for files of one host that start in the same second: …Z-2.lgd
};

/// A host's name as part of a file name: letters, digits and `._-` stay, other bytes become %XX, as does a
/// leading dot.
[[nodiscard]] std::string escape_host(std::string_view host);

[[nodiscard]] std::string to_file_name(const FileName& name);
/// Nothing for files that are not ours.
[[nodiscard]] std::optional<FileName> parse_file_name(std::string_view name);

/// Days turn at 00:00:05 UTC: a clock set back by up to five seconds right after midnight's rotation then
/// still shows the new date (T §3.2.2).
inline constexpr Duration kRotation = std::chrono::seconds{5};

/// Number of the recording day that `t` belongs to: floor((t - 00:00:05) / 24 h) since the epoch.
[[nodiscard]] std::int64_t recording_day(WallTime t);

/// Whether a sample at `t` goes into the file of day `open_day` which is being written. Later days never do.
/// Of earlier times only those that a backwards step of up to five seconds over the rotation explains, so
/// that it makes no second file for the day before.
[[nodiscard]] bool stays_in_day(WallTime t, std::int64_t open_day);

/// Where a file is written that is to be `path` once it is whole: a name that no reader looks at.
[[nodiscard]] std::filesystem::path hidden_path(const std::filesystem::path& path);
/// What a file is to be that is written under such a name; nothing for other files.
[[nodiscard]] std::optional<std::filesystem::path> path_of_hidden(const std::filesystem::path& hidden);

/// What is wrong with naming this file as a recording, for an error or a notice; nothing when it may be one.
/// It may by its name or by SQLite's first bytes, so that a damaged archive is still called that, and when it
/// cannot be read, which others say better.
[[nodiscard]] std::optional<std::string> why_no_recording(const std::filesystem::path& path);

}  // namespace laggard::archive
