#include "archive/database.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/file.h"

namespace laggard::archive {

namespace {

/// How long a reader waits for a checkpoint or a writer for a reader's lock before giving up.
constexpr int kBusyMs = 10'000;

std::string percent_encoded(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// The errno with which a file cannot be created in a folder now; 0 when it can.
int why_no_file(const std::filesystem::path& folder) {
  const Fd fd{::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  // Where the file system has no unnamed files we cannot tell.
  return fd.valid() || errno == EOPNOTSUPP || errno == EISDIR ? 0 : errno;
}

bool is_full(int os_error) { return os_error == ENOSPC || os_error == EDQUOT; }

/// Whether the limit on file sizes (ulimit -f) stops the file or one beside it from growing: when a wal-index
/// cannot grow, SQLite does not say why.
bool may_not_grow(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMostAtOnce = 32768;  // A page of the wal-index.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return std::ranges::any_of(std::array{"", "-wal", "-shm", "-journal"}, [&](const char* suffix) {
    std::error_code absent;
    const std::uintmax_t size = std::filesystem::file_size(path.string() + suffix, absent);
    return (absent ? 0 : size) + kMostAtOnce > limit.rlim_cur;
  });
}

}  // namespace

Statement& Statement::bind(int index, std::int64_t value) {
  LAGGARD_CHECK(sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  LAGGARD_CHECK(sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC,
                                    SQLITE_UTF8) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind_bytes(int index, std::string_view bytes) {
  LAGGARD_CHECK(sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC) ==
                SQLITE_OK);
  return *this;
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) {
    reset();
    return false;
  }
  auto error = database_->error(status, "cannot read or write the archive file");
  reset();
  return error;
}

Status Statement::run() {
  Result<bool> row = step();
  if (!row) return forward(row);
  LAGGARD_CHECK(!*row);
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Result<Database> Database::open(const std::filesystem::path& path, OpenMode mode, const char* vfs) {
  if (mode == OpenMode::kRead) return open_to_read(path, vfs, {});
  if (mode == OpenMode::kFrozen) return open_to_read(path, vfs, {.files = std::make_shared<SideFiles>()});
  const int create = mode == OpenMode::kCreate ? SQLITE_OPEN_CREATE : 0;
  Database database;
  database.path_ = path;
  const std::string uri = "file:" + percent_encoded(std::filesystem::absolute(path).string());
  database.writing_ = true;
  if (Status open = database.connect(uri, SQLITE_OPEN_READWRITE | create, vfs); !open) return forward(open);
  return database;
}

Result<Database> Database::open_frozen(const std::filesystem::path& path, Laid laid) {
  return open_to_read(path, nullptr, std::move(laid));
}

Result<Database> Database::open_to_read(const std::filesystem::path& path, const char* base, Laid laid) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::kBadInput, path.string(), "is no file");  // Opening a pipe would block.
  }
  Database database;
  database.path_ = path;
  // A wal-index is read where a writer keeps one, and never written.
  const std::string_view how = laid.files == nullptr ? "?readonly_shm=1" : "?immutable=1";
  const std::string uri =
      fmt::format("file:{}{}", percent_encoded(std::filesystem::absolute(path).string()), how);
  database.reading_ = std::make_unique<ReadingVfs>(base, std::move(laid));
  Status open = database.connect(uri, SQLITE_OPEN_READONLY, database.reading_->name());
  database.reading_->unlist();
  if (!open) return forward(open);
  return database;
}

Result<Database> Database::open_in_memory() {
  Database database;
  database.path_ = "(memory)";
  Status open = database.connect("file::memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
  if (!open) return forward(open);
  return database;
}

Result<std::string> Database::content() {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(connection_.get(), "main", &size, 0), &sqlite3_free);
  if (bytes == nullptr) return fail(ErrorCode::kTemporary, path_.string(), "not enough memory");
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

Status Database::connect(const std::string& uri, int flags, const char* vfs) {
  flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  sqlite3* connection = nullptr;
  const int status = sqlite3_open_v2(uri.c_str(), &connection, flags, vfs);
  connection_.reset(connection);
  if (connection == nullptr) return fail(ErrorCode::kTemporary, path_.string(), "not enough memory");
  if (status != SQLITE_OK) return error(status, "cannot open");
  sqlite3_busy_timeout(connection, kBusyMs);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  // A log that is not folded in on purpose stays, and with it the mark that the file is not finished.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  return run("PRAGMA cell_size_check=ON");
}

bool Database::says_log() const {
  constexpr sqlite3_int64 kReadVersion = 19;
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK)
    return false;
  char version = 0;
  const bool read = file != nullptr && file->pMethods != nullptr &&
                    file->pMethods->xRead(file, &version, 1, kReadVersion) == SQLITE_OK;
  return read && version == 2;
}

Status Database::run(const char* sql) {
  const int status = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return error(status, "cannot read or write the archive file");
  return {};
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int status =
      sqlite3_prepare_v3(connection_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (status != SQLITE_OK) return error(status, "cannot read the archive file");
  return Statement{*this, statement};
}

Result<std::int64_t> Database::number(const char* sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return forward(statement);
  Result<bool> row = statement->step();
  if (!row) return forward(row);
  return *row ? statement->integer(0) : 0;
}

/// The errno of a failed call. Where SQLite cannot create a file it tries to read one instead, and then
/// reports that there is none, rather than that the disk has no inode left or has become read-only.
int Database::reason(int status) const {
  const int told = sqlite3_system_errno(connection_.get());
  const int kind = status & 0xFF;
  if (writing_ && kind == SQLITE_IOERR && (told == 0 || status == SQLITE_IOERR_SHMSIZE) &&
      may_not_grow(path_))
    return EFBIG;
  const bool may_hide = kind == SQLITE_CANTOPEN ? told == ENOENT || told == 0 : kind == SQLITE_READONLY;
  if (!writing_ || !may_hide) return told;
  if (const int hidden = why_no_file(path_.parent_path()); hidden != 0) return hidden;
  return kind == SQLITE_CANTOPEN ? EAGAIN : told;
}

tl::unexpected<Error> Database::refusal(int os_error, std::string_view doing) const {
  const std::string where = path_.string();
  if (is_full(os_error)) {
    return fail(ErrorCode::kNoSpace, where, "the disk has no room for another file, or no inode for it");
  }
  if (written_meanwhile_ && os_error == 0) {
    return fail(ErrorCode::kUnavailable, where, "its recorder is just changing it; try again");
  }
  return fail_errno(os_error == 0 ? EACCES : os_error, where, doing);
}

tl::unexpected<Error> Database::error(int status, std::string_view doing) const {
  sqlite3* connection = connection_.get();
  const int os_error = reason(status);
  const std::string where = path_.string();
  switch (status & 0xFF) {
    case SQLITE_FULL:
      return fail(ErrorCode::kNoSpace, where, "the disk is full");
    case SQLITE_NOMEM:
      return fail_errno(ENOMEM, where, doing);
    case SQLITE_PROTOCOL:
      return fail_errno(EAGAIN, where, doing);
    case SQLITE_IOERR:
      if (is_full(os_error)) return fail(ErrorCode::kNoSpace, where, "the disk is full");
      if (os_error == EFBIG) {
        return fail(ErrorCode::kNoSpace, where, "the file may not grow any further (a limit like ulimit -f)");
      }
      if (status == SQLITE_IOERR_NOMEM) return fail_errno(ENOMEM, where, doing);
      if (status == SQLITE_IOERR_SHORT_READ || status == SQLITE_IOERR_CORRUPTFS) break;
      return fail_errno(os_error == 0 ? EIO : os_error, where, doing);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return refusal(os_error, doing);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(writing_ ? ErrorCode::kTemporary : ErrorCode::kUnavailable, where,
                  "another program holds the file; try again when it is done");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      break;
    default:
      return fail(ErrorCode::kInternal, where, fmt::format("{}: {}", doing, sqlite3_errmsg(connection)));
  }
  return fail(ErrorCode::kDamaged, where,
              fmt::format("the file is damaged ({}); 'laggard info --recover' saves what is reachable",
                          sqlite3_errmsg(connection)));
}

}  // namespace laggard::archive
