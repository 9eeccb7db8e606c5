#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archive/block.h"
#include "archive/database.h"
#include "archive/facts.h"
#include "base/error.h"
#include "model/series_source.h"

namespace laggard::archive {

/// Whose samples a file holds: one host between two boots. An empty boot means that the source did not know.
struct FileIdentity {
  std::string host;
  std::string boot;
  bool operator==(const FileIdentity&) const = default;
};

/// A block without its content: what SQLite can tell for next to nothing.
struct BlockRow {
  std::int64_t id = 0;
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::size_t samples = 0;
};

struct GapRow {
  WallTime first;
  WallTime last;
  std::uint64_t lost = 0;  ///< Sample times that were taken and could not be stored.
  std::string reason;
};

/// The checksum that stands in its row.
[[nodiscard]] std::int64_t hash_of(const GapRow& gap);

/// What a file holds besides samples.
struct Notes {
  Facts facts;
  std::vector<GapRow> gaps;
  std::size_t damaged = 0;  ///< Rows that are gone or whose checksum does not hold.
};

/// One `.lgd` file: a host, a stream and a day. Knows the tables; knows nothing of days, hosts or merging.
class DayFile {
 public:
  /// \param path  does not exist, or is what a crash left before the first transaction.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> create(const std::filesystem::path& path,
                                                               const FileIdentity& identity, const char* vfs);
  /// kNotFound also for a file in which nothing was ever committed; kTooNew, kTooOld, kDamaged, kBadInput
  /// (not ours).
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_writing(const std::filesystem::path& path,
                                                                         const char* vfs);
  /// Works beside a writer, on read-only media too.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_reading(const std::filesystem::path& path,
                                                                         const char* vfs);

  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

  [[nodiscard]] Status begin() { return database_.run("BEGIN IMMEDIATE"); }
  [[nodiscard]] Status commit();
  /// Best effort: after an error SQLite has often rolled back by itself.
  void rollback();
  /// Sees one state of the file until it is closed, whatever a writer does meanwhile. For a file that nobody
  /// writes, nothing, since a lock would keep a later writer out.
  [[nodiscard]] Status hold_snapshot();
  [[nodiscard]] bool has_writer_journal() const { return wal_; }

  /// Appends; the id orders blocks by recording.
  [[nodiscard]] Result<std::int64_t> add_block(const Block& block, ZstdCodec& codec);
  /// Puts `block` in the place of consecutive blocks.
  [[nodiscard]] Status replace_blocks(std::span<const std::int64_t> ids, const Block& block,
                                      ZstdCodec& codec);
  [[nodiscard]] Status add_gap(const GapRow& gap);
  /// Puts these facts in the place of all that can be read.
  [[nodiscard]] Status replace_facts(const Facts& facts, ZstdCodec& codec);

  [[nodiscard]] Result<std::vector<BlockRow>> rows();
  /// The same, but on an error `rows` keeps those that could be read before it. kDamaged also when there are
  /// fewer or more than were committed.
  [[nodiscard]] Status read_rows(std::vector<BlockRow>& rows);
  [[nodiscard]] Result<BlockHeader> header(std::int64_t id, ZstdCodec& codec);
  /// Bytes of one chunk; gone at the next call.
  [[nodiscard]] Result<std::string_view> chunk(std::int64_t id, std::size_t counter);
  [[nodiscard]] Result<Notes> notes(ZstdCodec& codec);

  /// Gives free pages back and leaves one plain file without journals, unless a reader is in the way.
  void finish();

 private:
  explicit DayFile(Database database) : database_(std::move(database)) {}
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open(const std::filesystem::path& path, OpenMode mode,
                                                             const char* vfs);
  [[nodiscard]] Status check();
  [[nodiscard]] Status check_schema();
  [[nodiscard]] Status read_identity();
  [[nodiscard]] Status in_one_state(const std::function<Status()>& read);
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status create_tables(const FileIdentity& identity);
  [[nodiscard]] Status use_journal();
  [[nodiscard]] Status select_rows(std::vector<BlockRow>& rows);
  [[nodiscard]] tl::unexpected<Error> missing_block(std::int64_t id);
  [[nodiscard]] Result<std::string> meta(std::string_view key);
  [[nodiscard]] Status check_count(std::size_t rows);
  [[nodiscard]] Status read_gaps(Notes& notes);
  [[nodiscard]] Status read_facts(Notes& notes, ZstdCodec& codec);
  [[nodiscard]] Status put_block(std::int64_t id, const Block& block, ZstdCodec& codec);

  Database database_;
  FileIdentity identity_;
  bool wal_ = false;
  bool blocks_changed_ = false;  ///< In the open transaction.
  bool facts_changed_ = false;
  std::vector<Statement> statements_;
};

}  // namespace laggard::archive
