#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/block.h"
#include "archive/columns.h"
#include "archive/database.h"
#include "archive/notes.h"
#include "archive/side_files.h"
#include "archive/stream_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "model/series_source.h"

namespace laggard::archive {

/// Whose observations a file holds: one host between two boots, and which. An empty boot means that the
/// source did not know.
struct FileIdentity {
  std::string host;
  std::string boot;
  Stream stream = Stream::kMetrics;
  bool operator==(const FileIdentity&) const = default;
};

/// A block without its content: what SQLite can tell for next to nothing.
struct BlockRow {
  std::int64_t id = 0;
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::size_t samples = 0;  ///< Sample times, events or periods.
};

/// A block of any stream as it is stored.
struct StoredBlock {
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::size_t samples = 0;
  std::string header;
  std::vector<std::string> chunks;
};
[[nodiscard]] StoredBlock stored(Block block, ZstdCodec& codec);
[[nodiscard]] StoredBlock stored(ColumnsBlock block, ZstdCodec& codec);

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

/// Where a file is that a writer has open: other programs may remove, rename or replace it.
enum class FilePlace : std::uint8_t {
  kInPlace,
  kWithoutLog,  ///< Its write-ahead log or the log's index was removed or replaced.
  kMoved,       ///< The path names nothing or another file, but the file has some other name.
  kRemoved,     ///< The file has no name any more: it is gone when it is closed.
};

/// One `.lgd` file: a host, a stream and a day. Knows the tables; knows nothing of days, hosts or merging.
class DayFile {
 public:
  /// \param path  does not exist, or is what a crash left before the first transaction.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> create(const std::filesystem::path& path,
                                                               const FileIdentity& identity, const char* vfs);
  /// The same under a hidden path, in the place of what a dead process may have left there, for a file that
  /// is worth nothing before it is closed, synced and named: it keeps no journal, and commits wait for no
  /// disk. Transactions can be rolled back while the disk lets them: after an error `is_sound` tells.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> create_hidden(const std::filesystem::path& path,
                                                                      const FileIdentity& identity);
  /// Errors as those of opening to read. Take care that the file is sound: SQLite lays any log over it that
  /// lies beside it.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_writing(const std::filesystem::path& path,
                                                                         const char* vfs);
  /// Works beside a writer, on read-only media and without the right to write. Neither the file nor what lies
  /// beside it is ever written, made or deleted. kNotFound also for a file that holds nothing: it was only
  /// just made, or it was emptied; kTooNew, kTooOld, kDamaged, kNoPermission, kBadInput (not ours).
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_reading(const std::filesystem::path& path,
                                                                         const char* vfs);
  /// The same, of a file that no other process can be writing: the caller has the host's lock. \param index
  /// kYes only where this process does not have the file open.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_under_lock(const std::filesystem::path& path,
                                                                        LookAtIndex index, const char* vfs);

  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }
  /// What is known to be missing from the file as it was opened to read; empty when nothing is.
  [[nodiscard]] const std::string& loss() const { return loss_; }
  /// Whether somebody began to write to a file that nobody was writing when it was opened: what is read of it
  /// since then may be of two states at once.
  [[nodiscard]] bool has_changed() const { return side_files_ != nullptr && side_files_->changed(); }

  [[nodiscard]] Status begin() { return database_.run("BEGIN IMMEDIATE"); }
  [[nodiscard]] Status commit();
  /// Best effort: after an error SQLite has often rolled back by itself.
  void rollback();
  /// Sees one state of the file until it is closed, whatever a writer does meanwhile. For a file that nobody
  /// writes, nothing, since a lock would keep a later writer out.
  [[nodiscard]] Status hold_snapshot();
  [[nodiscard]] bool has_writer_journal() const { return wal_; }

  /// Appends; the id orders blocks by recording.
  [[nodiscard]] Result<std::int64_t> add_block(const StoredBlock& block);
  /// Puts `block` in the place of consecutive blocks.
  [[nodiscard]] Status replace_blocks(std::span<const std::int64_t> ids, const StoredBlock& block);
  [[nodiscard]] Status add_gap(const GapRow& gap);
  /// Puts these facts in the place of all that can be read.
  [[nodiscard]] Status replace_facts(const Facts& facts, ZstdCodec& codec);

  [[nodiscard]] Result<std::vector<BlockRow>> rows();
  /// The same, but on an error `rows` keeps those that could be read before it. kDamaged also when there are
  /// fewer or more than were committed.
  [[nodiscard]] Status read_rows(std::vector<BlockRow>& rows);
  [[nodiscard]] Result<BlockHeader> header(std::int64_t id, ZstdCodec& codec);
  /// Of a block of events or profiles.
  [[nodiscard]] Result<ColumnsHeader> columns_header(std::int64_t id, ZstdCodec& codec);
  /// Bytes of one chunk; gone at the next call.
  [[nodiscard]] Result<std::string_view> chunk(std::int64_t id, std::size_t counter);
  [[nodiscard]] Result<Notes> notes(ZstdCodec& codec);

  /// As the paths are now; for a file that is open for writing.
  [[nodiscard]] FilePlace place() const;
  /// Moves everything from the write-ahead log into the file itself. kTemporary while a reader is in the way.
  [[nodiscard]] Status fold_log();
  /// Everything that was committed, into a new file: works when the file has no name any more.
  [[nodiscard]] Status copy_to(const std::filesystem::path& path, const char* vfs);
  /// Removes the write-ahead log and its index, where the paths still name those of this file: they must not
  /// stay beside another one. Nothing can be written afterwards.
  void remove_log();

  /// Rolls back, and tells whether all that was committed can be read, as far as SQLite checks that. For
  /// files without a journal, in which an error may leave half a transaction.
  [[nodiscard]] bool is_sound();
  /// Gives free pages back and leaves one plain file without journals, unless a reader is in the way.
  void finish();
  /// The same for a hidden file, which has no journal and says from the beginning that it is finished. An
  /// error when that has spoilt it.
  [[nodiscard]] Status finish_hidden();

 private:
  /// The marks in `meta` that say how a file and a log belong together.
  struct Marks {
    std::string number;
    std::optional<std::uint64_t> commits;
    std::optional<bool> finished;
  };

  explicit DayFile(Database database) : database_(std::move(database)) {}
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> from(Result<Database> database);
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_alone(const std::filesystem::path& path,
                                                                   LookAtIndex index, const char* vfs);
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_beside_writer(
      const std::filesystem::path& target, const char* vfs);
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_with_side_files(
      const std::filesystem::path& path, const std::shared_ptr<const SideFiles>& side_files);
  [[nodiscard]] static std::string why_log_is_foreign(const Result<std::unique_ptr<DayFile>>& alone,
                                                      const Result<std::unique_ptr<DayFile>>& with_log);
  [[nodiscard]] Status mark_unfinished();
  void mark_finished();
  /// Copies the log into the file. kTemporary when a reader is in the way.
  [[nodiscard]] Status take_over_log(int mode);
  [[nodiscard]] Status check();
  [[nodiscard]] Status check_schema();
  [[nodiscard]] Status read_identity();
  [[nodiscard]] Status take_meta(std::string_view key, std::string_view value);
  [[nodiscard]] Status in_one_state(const std::function<Status()>& read);
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status create_tables(const FileIdentity& identity, bool hidden);
  [[nodiscard]] Status use_journal();
  [[nodiscard]] Status select_rows(std::vector<BlockRow>& rows);
  [[nodiscard]] tl::unexpected<Error> missing_block(std::int64_t id);
  [[nodiscard]] Result<std::string> meta(std::string_view key);
  [[nodiscard]] Status check_count(std::size_t rows);
  [[nodiscard]] Status read_gaps(Notes& notes);
  [[nodiscard]] Status read_facts(Notes& notes, ZstdCodec& codec);
  void remember_place();
  [[nodiscard]] Status put_block(std::int64_t id, const StoredBlock& block);
  template <typename Header>
  [[nodiscard]] Result<Header> read_header(std::int64_t id, ZstdCodec& codec,
                                           Result<Header> (*decode)(std::string_view, std::string_view,
                                                                    ZstdCodec&));

  Database database_;
  FileIdentity identity_;
  Marks marks_;
  std::shared_ptr<const SideFiles> side_files_;  ///< Of a file that was opened while nobody wrote to it.
  std::string loss_;
  bool wal_ = false;
  Fd handle_;                                   ///< Of the path only: names the file, and opens nothing.
  std::array<std::optional<FileId>, 2> log_{};  ///< The write-ahead log and its index, once they are there.
  bool blocks_changed_ = false;                 ///< In the open transaction.
  bool facts_changed_ = false;
  std::vector<Statement> statements_;
};

/// Folds the write-ahead logs that crashes have left behind into the host's files and finishes these, so that
/// a day that nobody continues is one plain file again. A damaged file stays as it is, for readers to report.
/// The caller holds the host's lock and has none of its files open.
void fold_logs(const std::filesystem::path& folder, const std::string& host, const char* vfs);

}  // namespace laggard::archive
