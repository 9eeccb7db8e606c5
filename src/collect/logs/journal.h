#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "collect/import/line_reader.h"
#include "collect/logs/log_forms.h"

namespace laggard::collect {

/// What is kept of an entry of systemd's journal (systemd.journal-fields(7)).
struct JournalEntry {
  /// What is kept of one value; more of it is passed over.
  static constexpr std::size_t kMostValue = std::size_t{1} << 16;

  std::string cursor;  ///< __CURSOR: where it stands in its journal.
  std::string time;    ///< __REALTIME_TIMESTAMP: microseconds since the epoch.
  std::string host;
  std::string identifier;  ///< SYSLOG_IDENTIFIER, ...
  std::string command;     ///< ... else _COMM.
  std::string pid;
  std::string priority;
  std::string message;

  /// Takes a field if it is one of these.
  void set(std::string_view field, std::string_view value);
  /// The entry as a line, with views of it; nothing when it has no time or no message.
  [[nodiscard]] std::optional<WrittenLine> line() const;
};

/// Whether a stream whose first line this is is what `journalctl -o export` prints.
[[nodiscard]] bool begins_journal_export(std::string_view line);

/// Reads an entry of the export format (https://systemd.io/JOURNAL_EXPORT_FORMATS): fields as `NAME=value`,
/// or, where a value has line ends, `NAME`, a length in 8 bytes and the value; a blank line ends the entry.
/// \param first  the line that was read last, with which the entry begins.
/// \return false when the stream ends within a value; an entry that is cut off between fields is whole.
[[nodiscard]] bool read_journal_entry(std::string_view first, LineReader& lines, JournalEntry& entry);

/// An entry as `journalctl -o json` prints it, one on a line; a value that is no text is an array of bytes.
/// Nothing for any other line.
[[nodiscard]] std::optional<JournalEntry> parse_journal_json(std::string_view line);

}  // namespace laggard::collect
