#include "archive/ledger.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "archive/block.h"
#include "archive/database.h"
#include "base/bytes.h"

namespace laggard::archive {

namespace {

constexpr int kLedgerId = 0x6c676c67;  ///< SQLite's application_id: "lglg" in ASCII.
constexpr int kLedgerVersion = 1;
constexpr std::string_view kTable =
    "CREATE TABLE decision(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, "
    "since TEXT NOT NULL, made TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, hash INTEGER NOT NULL)";

using Fields = std::array<std::string, 6>;  ///< kind, subject, since, made, who, why

/// The checksum that stands in its row: a flipped bit must not exclude another disk.
std::int64_t hash_of(const Fields& fields) {
  ByteWriter bytes;
  for (const std::string& field : fields) bytes.text(field);
  return static_cast<std::int64_t>(hash_bytes(bytes.str()));
}

tl::unexpected<Error> damaged(const std::filesystem::path& path, std::string_view how) {
  return fail(ErrorCode::kDamaged, path.string(),
              fmt::format("the operators' ledger is damaged ({}); move it away and begin another", how));
}

/// SQLite's words speak of archives.
tl::unexpected<Error> own_words(const std::filesystem::path& path, Error error) {
  if (error.code == ErrorCode::kDamaged) return damaged(path, "it is no whole SQLite file");
  return tl::unexpected<Error>(std::move(error));
}

/// Nothing else is read before this holds: no view or trigger of a hostile file ever runs.
Status check(Database& database) {
  const std::string where = database.path().string();
  Result<std::int64_t> id = database.number("PRAGMA application_id");
  if (!id) return own_words(database.path(), id.error());
  if (*id != kLedgerId) return fail(ErrorCode::kBadInput, where, "is no operators' ledger of laggard");
  Result<std::int64_t> version = database.number("PRAGMA user_version");
  if (!version) return own_words(database.path(), version.error());
  if (*version != kLedgerVersion) {
    return fail(ErrorCode::kTooNew, where,
                fmt::format("written by another version of laggard (ledger format {}; this one reads {})",
                            *version, kLedgerVersion));
  }
  Result<Statement> tables = database.prepare("SELECT sql FROM sqlite_schema");
  if (!tables) return own_words(database.path(), tables.error());
  for (std::size_t seen = 0;; ++seen) {
    Result<bool> row = tables->step();
    if (!row) return own_words(database.path(), row.error());
    if (!*row && seen == 1) return {};
    if (!*row || seen > 0 || tables->bytes(0) != kTable) return damaged(database.path(), "other tables");
  }
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

Status begin_file(Database& database) {
  Result<std::int64_t> tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return own_words(database.path(), tables.error());
  if (*tables > 0) return {};
  return database.run(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; {};", kLedgerId, kLedgerVersion, kTable)
          .c_str());
}

Status insert(Database& database, std::span<const Decision> decisions) {
  Result<Statement> statement = database.prepare(
      "INSERT INTO decision(kind, subject, since, made, who, why, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!statement) return own_words(database.path(), statement.error());
  for (const Decision& decision : decisions) {
    const Fields fields{std::string(to_name(decision.kind)),
                        decision.subject,
                        decision.from ? to_iso8601(*decision.from) : "",
                        to_iso8601(decision.made),
                        decision.by,
                        decision.why};
    int column = 0;
    for (const std::string& field : fields) statement->bind(++column, std::string_view(field));
    statement->bind(++column, hash_of(fields));
    if (Status run = statement->run(); !run) return own_words(database.path(), run.error());
  }
  return {};
}

}  // namespace

std::filesystem::path ledger_of(const std::filesystem::path& recording) { return recording / "ledger.lgl"; }

Result<std::vector<Decision>> read_ledger(const std::filesystem::path& path) {
  std::vector<Decision> decisions;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return decisions;
  Result<Database> database = Database::open(path, OpenMode::kRead, nullptr);
  if (!database) return own_words(path, database.error());
  if (Status sound = check(*database); !sound) return forward(sound);
  Result<Statement> select =
      database->prepare("SELECT kind, subject, since, made, who, why, hash FROM decision ORDER BY number");
  if (!select) return own_words(path, select.error());
  for (;;) {
    Result<bool> row = select->step();
    if (!row) return own_words(path, row.error());
    if (!*row) return decisions;
    Result<Decision> decision = to_decision(*select, path);
    if (!decision) return forward(decision);
    decisions.push_back(std::move(*decision));
  }
}

Status add_to_ledger(const std::filesystem::path& path, std::span<const Decision> decisions) {
  Result<Database> database = Database::open(path, OpenMode::kCreate, nullptr);
  if (!database) return own_words(path, database.error());
  // Immediate: of two who begin the file at the same time the second finds it made.
  Status done = database->run("PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
  if (done) done = begin_file(*database);
  if (done) done = check(*database);
  if (done) done = insert(*database, decisions);
  if (done) done = database->run("COMMIT");
  if (!done && database->in_transaction()) static_cast<void>(database->run("ROLLBACK"));
  return done ? done : own_words(path, done.error());
}

}  // namespace laggard::archive
