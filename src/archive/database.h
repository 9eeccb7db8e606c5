#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "archive/reading_vfs.h"
#include "base/error.h"

namespace laggard::archive {

class Database;

/// One prepared statement; reset before each use. Lives no longer than its database.
class Statement {
 public:
  Statement(Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}

  /// Parameters are numbered from 1. Text and bytes are not copied, so they must outlive the step.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);
  Statement& bind_bytes(int index, std::string_view bytes);

  /// True when there is a row, false at the end.
  [[nodiscard]] Result<bool> step();
  /// For statements without rows.
  [[nodiscard]] Status run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }
  /// Text or bytes of the current row, valid until the next step.
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class OpenMode : std::uint8_t {
  kRead,    ///< Beside writers, with SQLite's locks; nothing is written, made or deleted.
  kFrozen,  ///< As it is now, for a file that nobody writes: no locks, and no side files but those laid over
            ///< it.
  kWrite,
  kCreate,
};

/// One SQLite file, with our kind of errors and every setting that makes foreign bytes harmless.
class Database {
 public:
  /// \param vfs  the name of a registered VFS, nullptr for the default: tests put a failing disk there.
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& path, OpenMode mode,
                                             const char* vfs);
  /// kFrozen, with the pages of its side files.
  [[nodiscard]] static Result<Database> open_frozen(const std::filesystem::path& path, Laid laid);

  /// A database in memory, to be written to a file as a whole: see `content`.
  [[nodiscard]] static Result<Database> open_in_memory();
  /// The bytes that the database's file has or, in memory, would have.
  [[nodiscard]] Result<std::string> content();

  [[nodiscard]] Status run(const char* sql);
  [[nodiscard]] Result<Statement> prepare(const char* sql);
  /// A pragma or query of one number.
  [[nodiscard]] Result<std::int64_t> number(const char* sql);

  /// Whether the file says that its newest pages are, or were, in a write-ahead log.
  [[nodiscard]] bool says_log() const;

  [[nodiscard]] bool is_writable() const { return writing_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Sets the name that errors use, where the database was opened by another name.
  void set_path(std::filesystem::path path) { path_ = std::move(path); }
  /// A recorder may come or go while this is read. What lies beside the file is then there or not from one
  /// moment to the next, and SQLite, which may not make it, refuses where the system does not: kUnavailable.
  void set_written_meanwhile() { written_meanwhile_ = true; }
  /// The error of the last failed call on this connection, in our words.
  [[nodiscard]] tl::unexpected<Error> error(int status, std::string_view doing) const;
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }
  [[nodiscard]] sqlite3* get() const { return connection_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  [[nodiscard]] Status connect(const std::string& uri, int flags, const char* vfs);
  [[nodiscard]] static Result<Database> open_to_read(const std::filesystem::path& path, const char* base,
                                                     Laid laid);

  std::unique_ptr<ReadingVfs> reading_;  ///< Outlives the connection.
  [[nodiscard]] int reason(int status) const;
  /// Of a file that may not be opened or written.
  [[nodiscard]] tl::unexpected<Error> refusal(int os_error, std::string_view doing) const;

  std::unique_ptr<sqlite3, Close> connection_;
  std::filesystem::path path_;
  bool writing_ = false;
  bool written_meanwhile_ = false;
};

}  // namespace laggard::archive
