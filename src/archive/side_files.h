#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "archive/write_ahead_log.h"
#include "base/error.h"
#include "base/file.h"

namespace laggard::archive {

/// Whether the wal-index is asked how many commits there were. Not where this process may itself have the
/// database open to write: closing a file drops every POSIX lock that the process has on it, SQLite's among
/// them.
enum class LookAtIndex : bool { kNo, kYes };

/// The pages in a database's write-ahead log and rollback journal, which lie over those in its file. A reader
/// that is given them sees what SQLite would see after recovery, but nothing is recovered: no file is made,
/// changed or deleted, so that any user can read, from a read-only medium too.
class SideFiles {
 public:
  /// \param database  without symbolic links, so that its side files lie beside it. kNoPermission when there
  ///                  are some and they cannot be read.
  [[nodiscard]] static Result<SideFiles> look_at(const std::filesystem::path& database, LookAtIndex index);

  /// With the wal-index, kBroken too when that knows of more commits than the log has, and kWhole instead of
  /// kTorn when it knows of no more, or instead of kEmpty when it knows of none. Without it nothing
  /// tells a torn log from one that was being written to, nor one that was emptied from one that was just
  /// made.
  [[nodiscard]] LogState log_state() const { return log_.state; }
  [[nodiscard]] bool has_commits() const { return log_.page_count > 0; }
  [[nodiscard]] bool has_journal() const { return journal_pages_.has_value(); }
  /// Whether there is anything beside the database from which it differs.
  [[nodiscard]] bool any() const { return log_.state != LogState::kAbsent || has_journal(); }
  /// Whether somebody has written to the database or its log since they were looked at.
  [[nodiscard]] bool changed() const;

  /// Bytes of the database with its journal, and with its log if `with_log`; nothing when that is the file's
  /// own size.
  [[nodiscard]] std::optional<std::uint64_t> size(bool with_log) const;
  /// Copies a part of a page, where a side file has it. \return whether it has.
  [[nodiscard]] bool read(std::uint32_t page, std::size_t offset, std::span<char> into, bool with_log) const;

 private:
  /// What tells that a file was written to.
  struct Stamp {
    std::filesystem::path path;
    std::optional<std::array<std::int64_t, 5>> of;
  };
  [[nodiscard]] static Stamp stamp(std::filesystem::path path);
  [[nodiscard]] Status read_log(const std::filesystem::path& database, LookAtIndex index);
  [[nodiscard]] Status read_journal(const std::filesystem::path& database);

  std::array<Stamp, 2> stamps_;
  Fd log_file_;
  LogIndex log_;
  Fd journal_file_;
  std::map<std::uint32_t, std::uint64_t> journal_;  ///< Page number -> place of its older content.
  std::optional<std::uint32_t> journal_pages_;      ///< Of the database before the transaction.
};

}  // namespace laggard::archive
