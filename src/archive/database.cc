#include "archive/database.h"

#include <cerrno>

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
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
  const bool reading = mode == OpenMode::kRead || mode == OpenMode::kReadFrozen;
  flags |= reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == OpenMode::kCreate) flags |= SQLITE_OPEN_CREATE;
  sqlite3* connection = nullptr;
  std::string uri = "file:" + percent_encoded(std::filesystem::absolute(path).string());
  if (mode == OpenMode::kReadFrozen) uri += "?immutable=1";
  const int status = sqlite3_open_v2(uri.c_str(), &connection, flags, vfs);
  Database database;
  database.path_ = path;
  database.connection_.reset(connection);
  if (connection == nullptr) return fail(ErrorCode::kInternal, path.string(), "not enough memory");
  if (status != SQLITE_OK) return database.error(status, "cannot open");
  sqlite3_busy_timeout(connection, kBusyMs);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  if (Status set = database.run("PRAGMA cell_size_check=ON"); !set) return forward(set);
  return database;
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

tl::unexpected<Error> Database::error(int status, std::string_view doing) const {
  sqlite3* connection = connection_.get();
  const int os_error = sqlite3_system_errno(connection);
  const std::string where = path_.string();
  switch (status & 0xFF) {
    case SQLITE_FULL:
      return fail(ErrorCode::kNoSpace, where, "the disk is full");
    case SQLITE_IOERR:
      if (os_error == ENOSPC || os_error == EDQUOT)
        return fail(ErrorCode::kNoSpace, where, "the disk is full");
      if (status == SQLITE_IOERR_SHORT_READ || status == SQLITE_IOERR_CORRUPTFS) break;
      return fail_errno(os_error == 0 ? EIO : os_error, where, doing);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return fail_errno(os_error == 0 ? EACCES : os_error, where, doing);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(ErrorCode::kUnavailable, where,
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
