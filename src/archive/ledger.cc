#include "archive/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "archive/database.h"
#include "archive/side_files.h"
#include "base/bytes.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

constexpr int kLedgerId = 0x6c676c67;  ///< SQLite's application_id: "lglg" in ASCII.
/// Version 1 had the first table alone.
constexpr int kLedgerVersion = 2;
constexpr std::string_view kTable =
    "CREATE TABLE decision(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, "
    "since TEXT NOT NULL, made TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, hash INTEGER NOT NULL)";
/// Further data of a decision: about the incident whose id is its subject, and which decision it undoes.
constexpr std::string_view kDetailTable =
    "CREATE TABLE detail(number INTEGER PRIMARY KEY, decision INTEGER NOT NULL, what TEXT NOT NULL, "
    "value TEXT NOT NULL, hash INTEGER NOT NULL)";

using Fields = std::array<std::string, 6>;  ///< kind, subject, since, made, who, why

/// A row of the second table: a key (one of the names below) and its value.
struct Detail {
  std::string_view what;
  std::string value;
};
constexpr std::string_view kBlamed = "blamed";
constexpr std::string_view kCause = "cause";
constexpr std::string_view kSince = "since";
constexpr std::string_view kUntil = "until";
constexpr std::string_view kComponent = "component";
constexpr std::string_view kUndoes = "undoes";

/// The checksum that is stored in its row: a flipped bit must not exclude another disk.
std::int64_t hash_of(const Fields& fields) {
  ByteWriter bytes;
  for (const std::string& field : fields) bytes.text(field);
  return static_cast<std::int64_t>(checksum(bytes.str()));
}

std::int64_t hash_of(std::int64_t decision, std::string_view what, std::string_view value) {
  ByteWriter bytes;
  bytes.zigzag(decision);
  bytes.text(what);
  bytes.text(value);
  return static_cast<std::int64_t>(checksum(bytes.str()));
}

tl::unexpected<Error> damaged(const std::filesystem::path& path, std::string_view how) {
  return fail(ErrorCode::kDamaged, path.string(),
              fmt::format("the operators' ledger is damaged ({}); move it away and begin another", how));
}

/// Rewords an error of our SQLite wrapper, which speaks of archives.
tl::unexpected<Error> own_words(const std::filesystem::path& path, Error error) {
  if (error.code == ErrorCode::kDamaged) return damaged(path, "it is no whole SQLite file");
  return tl::unexpected<Error>(std::move(error));
}

/// Checks that the tables are exactly those of its version.
Status check_tables(Database& database, std::int64_t version) {
  Result<Statement> tables = database.prepare("SELECT sql FROM sqlite_schema ORDER BY rowid");
  if (!tables) return own_words(database.path(), tables.error());
  constexpr std::array kTables{kTable, kDetailTable};
  for (std::size_t seen = 0;; ++seen) {
    Result<bool> row = tables->step();
    if (!row) return own_words(database.path(), row.error());
    if (!*row && seen == static_cast<std::size_t>(version)) return {};
    if (!*row || seen == static_cast<std::size_t>(version) || tables->bytes(0) != kTables[seen])
      return damaged(database.path(), "other tables");
  }
}

/// Checks that the file is a ledger before anything else is read, so that no view or trigger of a hostile
/// file ever runs.
/// \return the version of the format.
Result<std::int64_t> check(Database& database) {
  const std::string where = database.path().string();
  Result<std::int64_t> id = database.number("PRAGMA application_id");
  if (!id) return own_words(database.path(), id.error());
  if (*id != kLedgerId) return fail(ErrorCode::kBadInput, where, "is no operators' ledger of laggard");
  Result<std::int64_t> version = database.number("PRAGMA user_version");
  if (!version) return own_words(database.path(), version.error());
  if (*version < 1 || *version > kLedgerVersion) {
    return fail(
        ErrorCode::kTooNew, where,
        fmt::format("written by another version of laggard (ledger format {}; this one reads up to {})",
                    *version, kLedgerVersion));
  }
  if (Status tables = check_tables(database, *version); !tables) return forward(tables);
  return version;
}

Result<Decision> to_decision(const Statement& row, const std::filesystem::path& path) {
  Fields fields;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = row.bytes(static_cast<int>(i));
  if (hash_of(fields) != row.integer(static_cast<int>(fields.size()))) {
    return damaged(path, "the checksum of a line does not hold");
  }
  const auto& [kind, subject, since, made, who, why] = fields;
  const auto known = decision_kind(kind);
  const auto when = parse_time(made);
  const auto from = since.empty() ? Result<WallTime>(WallTime{}) : parse_time(since);
  if (!known || !when || !from) return damaged(path, "a line makes no sense");
  return Decision{.kind = *known,
                  .subject = subject,
                  .from = since.empty() ? std::nullopt : std::optional(*from),
                  .made = *when,
                  .by = who,
                  .why = why};
}

Status read_lines(Database& database, std::map<std::int64_t, Decision>& decisions) {
  Result<Statement> select = database.prepare(
      "SELECT kind, subject, since, made, who, why, hash, number FROM decision ORDER BY number");
  if (!select) return own_words(database.path(), select.error());
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return own_words(database.path(), row.error());
    if (!*row) return {};
    Result<Decision> decision = to_decision(*select, database.path());
    if (!decision) return forward(decision);
    decisions.insert_or_assign(select->integer(static_cast<int>(Fields{}.size()) + 1), std::move(*decision));
  }
}

std::vector<Detail> details_of(const Decision& decision) {
  std::vector<Detail> details;
  if (decision.undoes) details.push_back({kUndoes, to_iso8601(*decision.undoes)});
  if (!decision.about) return details;
  details.push_back({kBlamed, decision.about->blamed});
  details.push_back({kCause, decision.about->cause});
  details.push_back({kSince, to_iso8601(decision.about->since)});
  details.push_back({kUntil, to_iso8601(decision.about->until)});
  for (const std::string& component : decision.about->components) details.push_back({kComponent, component});
  return details;
}

/// Ignores unknown keys, since a later version may have more. False when the value makes no sense.
bool add_detail(std::string_view what, const std::string& value, Decision& decision) {
  constexpr std::array kTimes{kUndoes, kSince, kUntil};
  const Result<WallTime> when =
      std::ranges::find(kTimes, what) != kTimes.end() ? parse_time(value) : Result<WallTime>(WallTime{});
  if (!when) return false;
  if (what == kUndoes) {
    decision.undoes = *when;
    return true;
  }
  if (!decision.about) decision.about = KnownIncident{.id = decision.subject};
  KnownIncident& incident = *decision.about;
  if (what == kBlamed) incident.blamed = value;
  if (what == kCause) incident.cause = value;
  if (what == kSince) incident.since = *when;
  if (what == kUntil) incident.until = *when;
  if (what == kComponent) incident.components.push_back(value);
  return true;
}

/// \param decisions  by their numbers.
Status read_details(Database& database, std::map<std::int64_t, Decision>& decisions) {
  Result<Statement> select =
      database.prepare("SELECT decision, what, value, hash FROM detail ORDER BY number");
  if (!select) return own_words(database.path(), select.error());
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return own_words(database.path(), row.error());
    if (!*row) return {};
    const std::int64_t number = select->integer(0);
    const std::string what(select->bytes(1));
    const std::string value(select->bytes(2));
    const auto decision = decisions.find(number);
    const bool sound = hash_of(number, what, value) == select->integer(3) && decision != decisions.end();
    if (!sound) return damaged(database.path(), "the checksum of a line does not hold");
    if (!add_detail(what, value, decision->second)) return damaged(database.path(), "a line makes no sense");
  }
}

/// Makes the tables, or those that an older version lacks. Nothing that is in the ledger changes.
Status begin_file(Database& database) {
  Result<std::int64_t> tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return own_words(database.path(), tables.error());
  if (*tables == 0) {
    return database.run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; {}; {};", kLedgerId,
                                    kLedgerVersion, kTable, kDetailTable)
                            .c_str());
  }
  Result<std::int64_t> version = check(database);
  if (!version) return forward(version);
  if (*version == kLedgerVersion) return {};
  return database.run(fmt::format("PRAGMA user_version={}; {};", kLedgerVersion, kDetailTable).c_str());
}

/// The bytes of a ledger without a decision.
Result<std::string> empty_ledger() {
  Result<Database> database = Database::open_in_memory();
  if (!database) return forward(database);
  if (Status begun = begin_file(*database); !begun) return forward(begun);
  return database->content();
}

Status insert_details(Database& database, std::int64_t number, const Decision& decision) {
  Result<Statement> statement =
      database.prepare("INSERT INTO detail(decision, what, value, hash) VALUES(?1, ?2, ?3, ?4)");
  if (!statement) return own_words(database.path(), statement.error());
  for (const Detail& detail : details_of(decision)) {
    statement->bind(1, number);
    statement->bind(2, detail.what);
    statement->bind(3, std::string_view(detail.value));
    statement->bind(4, hash_of(number, detail.what, detail.value));
    if (Status run = statement->run(); !run) return own_words(database.path(), run.error());
  }
  return {};
}

Status insert(Database& database, const Decision& decision) {
  Result<Statement> statement = database.prepare(
      "INSERT INTO decision(kind, subject, since, made, who, why, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!statement) return own_words(database.path(), statement.error());
  const Fields fields{
      std::string(to_name(decision.kind)), decision.subject, decision.from ? to_iso8601(*decision.from) : "",
      to_iso8601(decision.made),           decision.by,      decision.why};
  int column = 0;
  for (const std::string& field : fields) statement->bind(++column, std::string_view(field));
  statement->bind(++column, hash_of(fields));
  if (Status run = statement->run(); !run) return own_words(database.path(), run.error());
  Result<std::int64_t> number = database.number("SELECT last_insert_rowid()");
  if (!number) return own_words(database.path(), number.error());
  return insert_details(database, *number, decision);
}

}  // namespace

std::filesystem::path ledger_of(const std::filesystem::path& recording) { return recording / "ledger.lgl"; }

namespace {

Result<std::vector<Decision>> read_decisions(const std::filesystem::path& path, Result<Database> database) {
  if (!database) return own_words(path, database.error());
  database->set_path(path);
  // Both tables are read in one transaction: others may be adding.
  if (Status begun = database->run("BEGIN"); !begun) return own_words(path, begun.error());
  Result<std::int64_t> version = check(*database);
  if (!version) return forward(version);
  std::map<std::int64_t, Decision> by_number;
  if (Status read = read_lines(*database, by_number); !read) return forward(read);
  if (*version > 1) {
    if (Status read = read_details(*database, by_number); !read) return forward(read);
  }
  std::vector<Decision> decisions;
  decisions.reserve(by_number.size());
  for (auto& [number, decision] : by_number) decisions.push_back(std::move(decision));
  return decisions;
}

/// The size of a database's pages, as its header has it (https://www.sqlite.org/fileformat2.html); 0 when it
/// has none.
std::uint32_t page_bytes_of(const std::filesystem::path& path) {
  constexpr std::streamoff kPlace = 16;
  std::array<char, 2> size{};
  std::ifstream in(path, std::ios::binary);
  in.seekg(kPlace).read(size.data(), size.size());
  if (!in) return 0;
  const auto high = static_cast<std::uint8_t>(size[0]);
  const auto low = static_cast<std::uint8_t>(size[1]);
  if (high == 0 && low == 1) return 65536;
  const auto bytes = static_cast<std::uint32_t>(high << 8 | low);
  return bytes >= 512 && std::has_single_bit(bytes) ? bytes : 0;
}

/// SQLite would wait for ever for the other end of a pipe that somebody has put there.
Status check_journal(const std::filesystem::path& ledger) {
  const std::filesystem::path journal = ledger.string() + "-journal";
  std::error_code error;
  const std::filesystem::file_type there = std::filesystem::status(journal, error).type();
  if (there == std::filesystem::file_type::not_found || there == std::filesystem::file_type::regular)
    return {};
  return fail(ErrorCode::kBadInput, journal.string(),
              "is no file, and stands where the journal of the operators' ledger would be; remove it");
}

/// What was in a ledger before the decision in the middle of which a program was killed: its journal is laid
/// over the file. kUnavailable when others have changed either meanwhile.
Result<std::vector<Decision>> read_before_journal(const std::filesystem::path& path,
                                                  const std::filesystem::path& target) {
  const std::uint32_t page_bytes = page_bytes_of(target);
  if (page_bytes == 0) return damaged(path, "it is no whole SQLite file");
  Result<SideFiles> looked = SideFiles::look_at(target, LookAtIndex::kNo, page_bytes);
  if (!looked) return forward(looked);
  const auto files = std::make_shared<const SideFiles>(std::move(*looked));
  Result<std::vector<Decision>> decisions =
      read_decisions(path, Database::open_frozen(target, {.files = files, .with_log = false}));
  if (!files->changed()) return decisions;
  return fail(ErrorCode::kUnavailable, path.string(), "the ledger is being changed; try again");
}

}  // namespace

Result<std::vector<Decision>> read_ledger(const std::filesystem::path& path) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot look at the ledger");
  if (!is_there && !std::filesystem::is_symlink(path, error)) return std::vector<Decision>{};
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot look at the ledger");
  if (Status free = check_journal(target); !free) return forward(free);
  constexpr int kAttempts = 20;
  Result<std::vector<Decision>> read;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    read = read_decisions(path, Database::open(target, OpenMode::kRead, nullptr));
    // SQLite refuses what is to be rolled back first to a reader, who may not write.
    const bool refused = !read && read.error().code == ErrorCode::kNoPermission;
    if (!refused || !std::filesystem::exists(target.string() + "-journal", error)) return read;
    read = read_before_journal(path, target);
    if (read || read.error().code != ErrorCode::kUnavailable) return read;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return read;
}

Status add_to_ledger(const std::filesystem::path& path, std::span<const Decision> decisions) {
  std::error_code absent;
  if (std::filesystem::symlink_status(path, absent).type() == std::filesystem::file_type::not_found) {
    // The file is made whole or not at all: SQLite would begin with an empty file, which a kill would leave
    // behind and a reader could not tell from a ledger that was emptied.
    const Result<std::string> empty = empty_ledger();
    if (!empty) return tl::unexpected<Error>(empty.error());
    if (Result<bool> made = write_new_file(path, *empty); !made) return forward(made);
  }
  // A link that leads nowhere is refused when it is opened.
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, absent);
  if (Status free = check_journal(absent ? path : target); !free) return free;
  Result<Database> database = Database::open(path, OpenMode::kCreate, nullptr);
  if (!database) return own_words(path, database.error());
  // Immediate: when two processes begin a file behind a link at the same time, the second finds it made.
  Status done = database->run("PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
  if (done) done = begin_file(*database);
  for (const Decision& decision : decisions) {
    if (done) done = insert(*database, decision);
  }
  if (done) done = database->run("COMMIT");
  if (!done && database->in_transaction()) static_cast<void>(database->run("ROLLBACK"));
  return done ? done : own_words(path, done.error());
}

}  // namespace laggard::archive
