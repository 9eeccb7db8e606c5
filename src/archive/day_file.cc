#include "archive/day_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "archive/file_name.h"
#include "archive/format.h"
#include "base/bytes.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

/// Statements that run often, in the order of kStatements; those of readers come first.
enum Prepared : std::size_t {
  kSelectHeader,
  kSelectChunk,
  kInsertBlock,
  kInsertChunk,
  kDeleteBlock,
  kDeleteChunks,
  kCountBlocks,
  kCountFacts,
  kCountCommit,
};
constexpr std::size_t kOfReaders = kSelectChunk + 1;
constexpr std::array kStatements{
    "SELECT header FROM block WHERE id = ?1",
    "SELECT data FROM chunk WHERE id = ?1",
    "INSERT INTO block(id, kind, earliest, latest, samples, header) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    "INSERT INTO chunk(id, data) VALUES(?1, ?2)",
    "DELETE FROM block WHERE id = ?1",
    "DELETE FROM chunk WHERE id BETWEEN ?1 AND ?2",
    "UPDATE meta SET value = (SELECT count(*) FROM block) WHERE key = ?1",
    "UPDATE meta SET value = (SELECT count(*) FROM fact) WHERE key = ?1",
    "UPDATE meta SET value = value + 1 WHERE key = ?1",
};

std::int64_t chunk_id(std::int64_t block, std::size_t counter) {
  return block * kChunksPerBlock + static_cast<std::int64_t>(counter);
}

}  // namespace

Result<std::unique_ptr<DayFile>> DayFile::create(const std::filesystem::path& path,
                                                 const FileIdentity& identity, const char* vfs) {
  Result<Database> database = Database::open(path, OpenMode::kCreate, vfs);
  if (!database) return forward(database);
  std::unique_ptr<DayFile> file{new DayFile(std::move(*database))};
  // The tables are made before the log: whatever is copied of a file while it is written, even if that is the
  // file alone, then says whose it is and that something is missing.
  Status made = file->create_tables(identity, false);
  if (made) made = file->use_journal();
  if (made) made = file->mark_unfinished();
  if (made) made = file->prepare();
  if (!made) {
    file->rollback();
    return forward(made);
  }
  file->identity_ = identity;
  return file;
}

Result<std::unique_ptr<DayFile>> DayFile::create_hidden(const std::filesystem::path& path,
                                                        const FileIdentity& identity) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot be removed");
  Result<Database> database = Database::open(path, OpenMode::kCreate, nullptr);
  if (!database) return forward(database);
  std::unique_ptr<DayFile> file{new DayFile(std::move(*database))};
  Status made = file->create_tables(identity, true);
  if (made) made = file->prepare();
  if (!made) {
    file.reset();
    std::filesystem::remove(path, error);
    return forward(made);
  }
  file->identity_ = identity;
  return file;
}

Status DayFile::create_tables(const FileIdentity& identity, bool hidden) {
  // The modes are set first, because what follows writes the first page.
  const std::string_view safety =
      hidden ? "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF"
             : "PRAGMA synchronous=FULL";
  if (Status set = database_.run(
          fmt::format("{}; PRAGMA page_size={}; PRAGMA auto_vacuum=INCREMENTAL", safety, kPageBytes).c_str());
      !set) {
    return set;
  }
  if (Status begun = begin(); !begun) return begun;
  std::string sql =
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", kApplicationId, kFormatVersion);
  for (const SchemaTable& table : kSchema) sql.append(table.sql).append(";");
  if (Status made = database_.run(sql.c_str()); !made) return made;
  Result<Statement> insert = database_.prepare("INSERT INTO meta(key, value) VALUES(?1, ?2)");
  if (!insert) return forward(insert);
  if (Status put = insert->bind(1, "host").bind(2, std::string_view(identity.host)).run(); !put) return put;
  if (Status put = insert->bind(1, "boot").bind(2, std::string_view(identity.boot)).run(); !put) return put;
  for (const std::string_view zero : {kBlockCountKey, kFactCountKey, kCommitCountKey}) {
    if (Status put = insert->bind(1, zero).bind(2, "0").run(); !put) return put;
  }
  if (identity.stream != Stream::kMetrics) {
    if (Status put = insert->bind(1, kStreamKey).bind(2, folder_of(identity.stream)).run(); !put) return put;
  }
  // No reader may look for a log before there is one; see mark_unfinished.
  if (Status put = insert->bind(1, kFinishedKey).bind(2, "1").run(); !put) return put;
  marks_.finished = true;
  // Derived, not random, so that the same samples make the same file.
  const std::string_view stream = identity.stream == Stream::kMetrics ? "" : folder_of(identity.stream);
  const std::string name =
      fmt::format("{}\n{}\n{}{}", path_of_hidden(path()).value_or(path()).filename().string(), identity.host,
                  identity.boot, stream);
  const std::string number = fmt::format("{:016x}", checksum(name));
  if (Status put = insert->bind(1, kFileNumberKey).bind(2, std::string_view(number)).run(); !put) return put;
  return commit();
}

Status DayFile::use_journal() {
  Result<Statement> pragma = database_.prepare("PRAGMA journal_mode=WAL");
  if (!pragma) return forward(pragma);
  Result<bool> row = pragma->step();
  if (!row) return forward(row);
  if (!*row || pragma->bytes(0) != "wal") {
    return fail(ErrorCode::kBadUse, path().string(), "this file system cannot hold a write-ahead log");
  }
  pragma->reset();
  wal_ = true;
  // FULL: a commit is on the disk before it is acknowledged. NORMAL would keep the file whole after a power
  // cut but could lose every flush since the last checkpoint, and we promise to lose one.
  // The log is checkpointed at 4 MB, as by SQLite's default with its usual page size.
  return database_.run("PRAGMA wal_autocheckpoint=4000; PRAGMA synchronous=FULL");
}

Status DayFile::check() {
  Result<std::int64_t> tables = database_.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return forward(tables);
  if (*tables == 0) return fail(ErrorCode::kNotFound, path().string(), "nothing is in this file");
  Result<std::int64_t> application = database_.number("PRAGMA application_id");
  if (!application) return forward(application);
  if (*application != kApplicationId) {
    return fail(ErrorCode::kBadInput, path().string(), "this is an SQLite database but no laggard archive");
  }
  Result<std::int64_t> version = database_.number("PRAGMA user_version");
  if (!version) return forward(version);
  // Checked before the tables, which another version may have made differently.
  if (*version != kFormatVersion) {
    return fail(
        *version > kFormatVersion ? ErrorCode::kTooNew : ErrorCode::kTooOld, path().string(),
        fmt::format("written by another version of laggard (archive format {}; this one reads {}); read "
                    "it with that version, and record into another folder",
                    *version, kFormatVersion));
  }
  if (Status schema = check_schema(); !schema) return schema;
  return read_identity();
}

Status DayFile::check_schema() {
  Result<Statement> select = database_.prepare("SELECT name, sql FROM sqlite_schema ORDER BY rowid");
  if (!select) return forward(select);
  std::size_t seen = 0;
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return forward(row);
    if (!*row) break;
    if (seen == std::size(kSchema) || select->bytes(0) != kSchema[seen].name ||
        select->bytes(1) != kSchema[seen].sql) {
      return fail(ErrorCode::kDamaged, path().string(), "its tables are not those of a laggard archive");
    }
    ++seen;
  }
  if (seen == std::size(kSchema)) return {};
  return fail(ErrorCode::kDamaged, path().string(), "tables of a laggard archive are missing");
}

Status DayFile::take_meta(std::string_view key, std::string_view value) {
  if (key == "host") identity_.host = value;
  if (key == "boot") identity_.boot = value;
  if (key == kFileNumberKey) marks_.number = value;
  if (key == kCommitCountKey) marks_.commits = to_number<std::uint64_t>(value);
  if (key == kFinishedKey) marks_.finished = value == "1";
  if (key != kStreamKey) return {};
  const auto known = std::ranges::find(kStreamFolders, value);
  if (known == kStreamFolders.end()) {
    return fail(ErrorCode::kBadInput, path().string(),
                fmt::format("holds a stream '{}', which this version of laggard does not know", value));
  }
  identity_.stream = static_cast<Stream>(known - kStreamFolders.begin());
  return {};
}

Status DayFile::read_identity() {
  Result<Statement> select = database_.prepare("SELECT key, value FROM meta");
  if (!select) return forward(select);
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return forward(row);
    if (!*row) break;
    if (Status taken = take_meta(select->bytes(0), select->bytes(1)); !taken) return taken;
  }
  Result<Statement> mode = database_.prepare("PRAGMA journal_mode");
  if (!mode) return forward(mode);
  Result<bool> row = mode->step();
  if (!row) return forward(row);
  wal_ = *row && mode->bytes(0) == "wal";
  return {};
}

Status DayFile::prepare() {
  for (const char* sql : std::span(kStatements).first(is_writable() ? kStatements.size() : kOfReaders)) {
    Result<Statement> statement = database_.prepare(sql);
    if (!statement) return forward(statement);
    statements_.push_back(std::move(*statement));
  }
  return {};
}

Status DayFile::commit() {
  if (blocks_changed_) {
    if (Status counted = statements_[kCountBlocks].bind(1, kBlockCountKey).run(); !counted) return counted;
  }
  if (facts_changed_) {
    if (Status counted = statements_[kCountFacts].bind(1, kFactCountKey).run(); !counted) return counted;
  }
  if (!statements_.empty()) {
    if (Status counted = statements_[kCountCommit].bind(1, kCommitCountKey).run(); !counted) return counted;
  }
  if (Status committed = database_.run("COMMIT"); !committed) return committed;
  blocks_changed_ = false;
  facts_changed_ = false;
  remember_place();
  return {};
}

void DayFile::rollback() {
  blocks_changed_ = false;
  facts_changed_ = false;
  for (Statement& statement : statements_) statement.reset();
  if (database_.in_transaction()) static_cast<void>(database_.run("ROLLBACK"));
}

bool DayFile::is_sound() {
  rollback();
  Result<Statement> check = database_.prepare("PRAGMA quick_check(1)");
  if (!check) return false;
  const Result<bool> row = check->step();
  const bool ok = row && *row && check->bytes(0) == "ok";
  return ok && rows().has_value();
}

Status DayFile::hold_snapshot() {
  if (!wal_) return {};
  if (Status begun = database_.run("BEGIN"); !begun) return begun;
  Result<std::int64_t> first_read = database_.number("SELECT count(*) FROM meta");
  if (!first_read) return forward(first_read);
  return {};
}

StoredBlock stored(Block block, ZstdCodec& codec) {
  return {.kind = block.header.kind,
          .earliest = block.header.earliest(),
          .latest = block.header.latest(),
          .samples = block.header.times.size(),
          .header = encode_header(block.header, codec),
          .chunks = std::move(block.chunks)};
}

StoredBlock stored(ColumnsBlock block, ZstdCodec& codec) {
  return {.kind = block.header.kind,
          .earliest = block.header.earliest,
          .latest = block.header.latest,
          .samples = block.header.rows,
          .header = encode_columns_header(block.header, codec),
          .chunks = std::move(block.chunks)};
}

Status DayFile::put_block(std::int64_t id, const StoredBlock& block) {
  blocks_changed_ = true;
  Status put = statements_[kInsertBlock]
                   .bind(1, id)
                   .bind(2, std::string_view(block.kind))
                   .bind(3, to_unix_ns(block.earliest))
                   .bind(4, to_unix_ns(block.latest))
                   .bind(5, static_cast<std::int64_t>(block.samples))
                   .bind_bytes(6, block.header)
                   .run();
  for (std::size_t c = 0; put && c < block.chunks.size(); ++c) {
    put = statements_[kInsertChunk].bind(1, chunk_id(id, c)).bind_bytes(2, block.chunks[c]).run();
  }
  if (put && block.samples >= kSettledSamples) {
    put = statements_[kInsertChunk].bind(1, chunk_id(id, kHeaderCopy)).bind_bytes(2, block.header).run();
  }
  return put;
}

Result<std::int64_t> DayFile::add_block(const StoredBlock& block) {
  Result<std::int64_t> last = database_.number("SELECT max(id) FROM block");
  if (!last) return forward(last);
  if (Status put = put_block(*last + 1, block); !put) return forward(put);
  return *last + 1;
}

Status DayFile::replace_blocks(std::span<const std::int64_t> ids, const StoredBlock& block) {
  LAGGARD_CHECK(!ids.empty());
  for (const std::int64_t id : ids) {
    Status gone = statements_[kDeleteChunks].bind(1, chunk_id(id, 0)).bind(2, chunk_id(id + 1, 0) - 1).run();
    if (gone) gone = statements_[kDeleteBlock].bind(1, id).run();
    if (!gone) return gone;
  }
  return put_block(ids.front(), block);
}

Result<std::vector<BlockRow>> DayFile::rows() {
  std::vector<BlockRow> rows;
  if (Status read = read_rows(rows); !read) return forward(read);
  return rows;
}

/// Runs `read` in one transaction: rows and their number must be of one state of the file.
Status DayFile::in_one_state(const std::function<Status()>& read) {
  const bool alone = !database_.in_transaction();
  if (alone) {
    if (Status begun = database_.run("BEGIN"); !begun) return begun;
  }
  Status done = read();
  if (alone && database_.in_transaction()) static_cast<void>(database_.run("ROLLBACK"));
  return done;
}

Status DayFile::read_rows(std::vector<BlockRow>& rows) {
  return in_one_state([&] {
    Status read = select_rows(std::numeric_limits<std::int64_t>::min(), rows);
    return read && !blocks_changed_ ? check_count(rows.size()) : read;
  });
}

Result<std::vector<BlockRow>> DayFile::rows_from(std::int64_t id) {
  std::vector<BlockRow> rows;
  if (Status read = select_rows(id, rows); !read) return forward(read);
  return rows;
}

Result<std::optional<std::uint64_t>> DayFile::block_count() {
  Result<std::string> count = meta(kBlockCountKey);
  if (!count) return forward(count);
  return to_number<std::uint64_t>(*count);
}

/// The value of a key in `meta`; empty when it is not there.
Result<std::string> DayFile::meta(std::string_view key) {
  Result<Statement> select = database_.prepare("SELECT value FROM meta WHERE key = ?1");
  if (!select) return forward(select);
  Result<bool> row = select->bind(1, key).step();
  if (!row) return forward(row);
  return std::string(*row ? select->bytes(0) : "");
}

Status DayFile::check_count(std::size_t rows) {
  Result<std::string> count = meta(kBlockCountKey);
  if (!count) return forward(count);
  if (*count == std::to_string(rows)) return {};
  return fail(
      ErrorCode::kDamaged, path().string(),
      fmt::format(
          "the index shows {} blocks where {} were written; 'laggard info --recover' looks for the rest",
          rows, count->empty() ? "more" : *count));
}

Status DayFile::select_rows(std::int64_t from, std::vector<BlockRow>& rows) {
  Result<Statement> select =
      database_.prepare("SELECT id, kind, earliest, latest, samples FROM block WHERE id >= ?1 ORDER BY id");
  if (!select) return forward(select);
  select->bind(1, from);
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return forward(row);
    if (!*row) return {};
    rows.push_back({.id = select->integer(0),
                    .kind = std::string(select->bytes(1)),
                    .earliest = from_unix_ns(select->integer(2)),
                    .latest = from_unix_ns(select->integer(3)),
                    .samples = static_cast<std::size_t>(std::max<std::int64_t>(0, select->integer(4)))});
  }
}

/// A block that was listed but is not found: a writer has merged it since then, or SQLite's tree is damaged.
tl::unexpected<Error> DayFile::missing_block(std::int64_t id) {
  Result<Statement> scan = database_.prepare("SELECT count(*) FROM block WHERE id + 0 = ?1");
  if (!scan) return forward(scan);
  Result<bool> row = scan->bind(1, id).step();
  if (!row) return forward(row);
  const bool listed = *row && scan->integer(0) > 0;
  return fail(listed ? ErrorCode::kDamaged : ErrorCode::kUnavailable, path().string(),
              fmt::format("block {} {}", id, listed ? "is listed and cannot be found" : "is gone"));
}

Result<BlockHeader> DayFile::header(std::int64_t id, ZstdCodec& codec) {
  return read_header<BlockHeader>(id, codec, &decode_header);
}

Result<ColumnsHeader> DayFile::columns_header(std::int64_t id, ZstdCodec& codec) {
  return read_header<ColumnsHeader>(id, codec, &decode_columns_header);
}

template <typename Header>
Result<Header> DayFile::read_header(std::int64_t id, ZstdCodec& codec,
                                    Result<Header> (*decode)(std::string_view, std::string_view,
                                                             ZstdCodec&)) {
  Statement& select = statements_[kSelectHeader];
  select.reset();
  Result<bool> row = select.bind(1, id).step();
  if (!row) return forward(row);
  if (!*row) return missing_block(id);
  const std::string where = fmt::format("{}: block {}", path().string(), id);
  Result<Header> header = decode(select.bytes(0), where, codec);
  select.reset();
  if (header) return header;
  const Result<std::string_view> copy = chunk(id, kHeaderCopy);
  Result<Header> second = copy ? decode(*copy, where, codec) : header;
  if (second) return second;
  if (header.error().code != ErrorCode::kTooNew) return header;
  // A file of our version has no blocks of a later one, so what looks like that is a flipped bit.
  return fail(ErrorCode::kDamaged, where, "damaged block header: it does not start like one");
}

Result<std::string_view> DayFile::chunk(std::int64_t id, std::size_t counter) {
  Statement& select = statements_[kSelectChunk];
  select.reset();
  Result<bool> row = select.bind(1, chunk_id(id, counter)).step();
  if (!row) return forward(row);
  if (!*row) {
    return fail(ErrorCode::kDamaged, path().string(),
                fmt::format("block {} lacks its chunk {}", id, counter));
  }
  return select.bytes(0);
}

/// The mark goes into the log, behind all that it closes: where the log cannot be folded into the file now,
/// both are done later together.
void DayFile::mark_finished() {
  Status done = begin();
  if (done)
    done = database_.run(fmt::format("UPDATE meta SET value = '1' WHERE key = '{}'", kFinishedKey).c_str());
  if (done) done = commit();
  if (!done) rollback();
}

void DayFile::finish() {
  rollback();
  sqlite3_busy_timeout(database_.get(), 200);
  mark_finished();
  static_cast<void>(database_.run("PRAGMA incremental_vacuum"));
  statements_.clear();  // An open statement would prevent a change of the journal mode.
  static_cast<void>(database_.run("PRAGMA journal_mode=DELETE"));
}

Status DayFile::finish_hidden() {
  rollback();
  Status vacuumed = database_.run("PRAGMA incremental_vacuum");
  return vacuumed || is_sound() ? Status{} : vacuumed;
}

}  // namespace laggard::archive
