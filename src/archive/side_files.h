#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "archive/format.h"
#include "archive/write_ahead_log.h"
#include "base/error.h"
#include "base/file.h"

namespace laggard::archive {

/// Whether to read from the wal-index how many commits there were. Must be kNo where this process may itself
/// have the database open for writing: closing a file drops every POSIX lock that the process has on it,
/// including SQLite's.
enum class LookAtIndex : bool { kNo, kYes };

/// The header of one part of a rollback journal (https://www.sqlite.org/fileformat2.html#rollbackjournal).
struct JournalHeader {
  std::uint32_t records = 0;
  std::uint32_t nonce = 0;
  std::uint32_t pages = 0;  ///< Of the database before the transaction.
  std::uint32_t sector = 0;
};

/// The pages in a database's write-ahead log and rollback journal, which replace those in its file. With them
/// a reader sees what SQLite would see after recovery, but nothing is recovered: no file is made, changed or
/// deleted, so that any user can read, even from a read-only medium.
class SideFiles {
 public:
  /// \param database  a path without symbolic links, so that the side files lie beside it. kNoPermission when
  ///                  there are side files that cannot be read.
  /// \param page_bytes  of the database, and of the journal; a write-ahead log must have kPageBytes.
  [[nodiscard]] static Result<SideFiles> look_at(const std::filesystem::path& database, LookAtIndex index,
                                                 std::uint32_t page_bytes = kPageBytes);

  /// With the wal-index the answer is sharper: kBroken if the index counts more commits than the log has,
  /// kWhole instead of kTorn if it counts no more, and kWhole instead of kEmpty if it counts none. Without
  /// the index a torn log cannot be told from one that was being written, nor an emptied one from a new one.
  [[nodiscard]] LogState log_state() const { return log_.state; }
  [[nodiscard]] bool has_commits() const { return log_.page_count > 0; }
  [[nodiscard]] bool has_journal() const { return journal_pages_.has_value(); }
  /// Whether there is anything to be laid over the database.
  [[nodiscard]] bool any() const { return log_.state != LogState::kAbsent || has_journal(); }
  [[nodiscard]] std::uint32_t page_bytes() const { return page_bytes_; }
  /// Whether somebody has written to the database, its log or its journal since they were looked at.
  [[nodiscard]] bool changed() const;

  /// The size of the database with its journal, and with its log if `with_log`; nothing when it is the file's
  /// own size.
  [[nodiscard]] std::optional<std::uint64_t> size(bool with_log) const;
  /// Copies a part of a page if a side file has it. \return whether one has.
  [[nodiscard]] bool read(std::uint32_t page, std::size_t offset, std::span<char> into, bool with_log) const;

 private:
  /// Changes when a file is written to.
  struct Stamp {
    std::filesystem::path path;
    std::optional<std::array<std::int64_t, 5>> of;
  };
  [[nodiscard]] static Stamp stamp(std::filesystem::path path);
  [[nodiscard]] Status read_log(const std::filesystem::path& database, LookAtIndex index);
  [[nodiscard]] Status read_journal(const std::filesystem::path& database);
  [[nodiscard]] bool read_journal_pages(const JournalHeader& header, std::uint64_t& at);

  std::uint32_t page_bytes_ = kPageBytes;
  std::array<Stamp, 3> stamps_;
  Fd log_file_;
  LogIndex log_;
  Fd journal_file_;
  std::map<std::uint32_t, std::uint64_t> journal_;  ///< Page number -> place of its older content.
  std::optional<std::uint32_t> journal_pages_;      ///< Of the database before the transaction.
};

}  // namespace laggard::archive
