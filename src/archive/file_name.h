#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/recording_day.h"
#include "base/time.h"

/// Names of day files: HOST-20110509T000005Z.lgd, with the UTC time of the first sample (T §3.2.2, §5.9), so
/// that sorting names sorts time. Recorders of one host beside each other have files of their own:
/// HOST+logs-20110509T000005Z.lgd.

namespace laggard::archive {

/// Who writes a file: the files of two writers never mix, and each is locked by itself.
struct WriterName {
  std::string host;
  std::string recorder;  ///< `logs`, `calls`, …, in lower-case letters; empty: the host's metrics.
  auto operator<=>(const WriterName&) const = default;
};

struct FileName {
  WriterName writer;
  WallTime start;
  int copy = 1;  ///< From 2 on for files of one writer that start in the same second: …Z-2.lgd
};

/// A host's name as part of a file name: letters, digits and `._-` stay, all other bytes and a leading dot
/// become %XX.
[[nodiscard]] std::string escape_host(std::string_view host);

/// What the names of a writer's files begin with: `fs1`, `fs1+logs`.
[[nodiscard]] std::string to_prefix(const WriterName& writer);
[[nodiscard]] std::string to_file_name(const FileName& name);
/// Nothing for files that are not ours.
[[nodiscard]] std::optional<FileName> parse_file_name(std::string_view name);

/// Whether a sample at `t` goes into the file of day `open_day`, which is being written. A later day never
/// does. An earlier time does only if a backwards step of up to five seconds over the rotation explains it,
/// so that such a step makes no second file for the day before.
[[nodiscard]] bool stays_in_day(WallTime t, std::int64_t open_day);

/// The hidden path, ignored by readers, under which a file is written that becomes `path` once it is whole.
[[nodiscard]] std::filesystem::path hidden_path(const std::filesystem::path& path);
/// The path that a hidden file is to become; nothing for other files.
[[nodiscard]] std::optional<std::filesystem::path> path_of_hidden(const std::filesystem::path& hidden);

/// Why this file cannot be a recording, for an error or a notice; nothing when it may be one. It may be one
/// if its name or SQLite's first bytes say so, so that a damaged archive is still called one. A file that
/// cannot be read may be one too; opening it gives a better error.
[[nodiscard]] std::optional<std::string> why_no_recording(const std::filesystem::path& path);

}  // namespace laggard::archive
