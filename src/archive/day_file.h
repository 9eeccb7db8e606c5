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

/// Whose observations a file holds, and which: one stream of one host between two boots. An empty boot means
/// that the source did not know it.
struct FileIdentity {
  std::string host;
  std::string boot;
  Stream stream = Stream::kMetrics;
  bool operator==(const FileIdentity&) const = default;
};

/// A block without its content, which is cheap to list.
struct BlockRow {
  std::int64_t id = 0;
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::size_t samples = 0;  ///< Sample times, events or periods.
  bool operator==(const BlockRow&) const = default;
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

/// A log that was gone through beside its writer and was sound, so that it need not be gone through at every
/// look: as it was then, and as it was seen last. While it is written on it cannot be what a crash has left.
struct KnownLog {
  std::optional<FileStamp> sound;
  std::optional<FileStamp> seen;
};

struct GapRow {
  WallTime first;
  WallTime last;
  std::uint64_t lost = 0;  ///< How many sample times were taken but could not be stored.
  std::string reason;
};

/// The checksum that is stored in its row.
[[nodiscard]] std::int64_t hash_of(const GapRow& gap);

/// What a file holds besides blocks.
struct Notes {
  Facts facts;
  std::vector<GapRow> gaps;
  std::size_t damaged = 0;  ///< How many rows are gone or have a wrong checksum.
};

/// What has become of a file that a writer has open: other programs may remove, rename or replace it.
enum class FilePlace : std::uint8_t {
  kInPlace,
  kWithoutLog,  ///< Its write-ahead log or the log's index was removed or replaced.
  kMoved,       ///< The path names nothing or another file, but the file has some other name.
  kRemoved,     ///< The file has no name any more: it is gone when it is closed.
};

/// One `.lgd` file: a host, a stream and a day. It knows the tables, but nothing about days, hosts or
/// merging.
class DayFile {
 public:
  /// \param path  must not exist, or be what a crash left before the first transaction.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> create(const std::filesystem::path& path,
                                                               const FileIdentity& identity, const char* vfs);
  /// The same under a hidden path, replacing what a dead process may have left there. Such a file is worth
  /// nothing before it is closed, synced and named, so it keeps no journal and its commits do not wait for
  /// the disk. Transactions can be rolled back unless the disk fails: after an error ask `is_sound`.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> create_hidden(const std::filesystem::path& path,
                                                                      const FileIdentity& identity);
  /// Errors as for reading. The caller must make sure that the file is sound: SQLite applies any log that
  /// lies beside it.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_writing(const std::filesystem::path& path,
                                                                         const char* vfs);
  /// Works beside a writer, on read-only media and without the right to write. Neither the file nor what lies
  /// beside it is ever written, made or deleted. kNotFound also for an empty file: it was only
  /// just made, or it was emptied; kTooNew, kTooOld, kDamaged, kNoPermission, kBadInput (not ours).
  /// \param log  what is known of its log, and what is known from then on; null: nothing.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_for_reading(const std::filesystem::path& path,
                                                                         const char* vfs,
                                                                         KnownLog* log = nullptr);
  /// The same for a file that no other process can be writing, since the caller has the host's lock.
  /// \param index  kYes only if this process does not have the file open.
  [[nodiscard]] static Result<std::unique_ptr<DayFile>> open_under_lock(const std::filesystem::path& path,
                                                                        LookAtIndex index, const char* vfs);

  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }
  [[nodiscard]] bool is_writable() const { return database_.is_writable(); }
  /// Whether the file was opened for reading and no log or journal lay beside it.
  [[nodiscard]] bool is_plain() const { return side_files_ == nullptr; }
  /// What is known to be missing from the file that was opened for reading; empty when nothing is.
  [[nodiscard]] const std::string& loss() const { return loss_; }
  /// Whether a file that nobody was writing when it was opened has been written to since: what was read after
  /// that may mix two states.
  [[nodiscard]] bool has_changed() const { return side_files_ != nullptr && side_files_->changed(); }

  [[nodiscard]] Status begin() { return database_.run("BEGIN IMMEDIATE"); }
  [[nodiscard]] Status commit();
  /// Ignores errors: after one, SQLite has often rolled back by itself.
  void rollback();
  /// Makes all reads until the file is closed see one state, whatever a writer does meanwhile. Does nothing
  /// for a file that nobody writes, since a lock would keep a later writer out.
  [[nodiscard]] Status hold_snapshot();
  [[nodiscard]] bool has_writer_journal() const { return wal_; }

  /// Appends a block. \return its id; ids are in order of recording.
  [[nodiscard]] Result<std::int64_t> add_block(const StoredBlock& block);
  /// Replaces consecutive blocks by `block`.
  [[nodiscard]] Status replace_blocks(std::span<const std::int64_t> ids, const StoredBlock& block);
  [[nodiscard]] Status add_gap(const GapRow& gap);
  /// Replaces all facts that can be read by these.
  [[nodiscard]] Status replace_facts(const Facts& facts, ZstdCodec& codec);

  [[nodiscard]] Result<std::vector<BlockRow>> rows();
  /// The same, but on an error `rows` keeps those that could be read before it. kDamaged also when there are
  /// fewer or more than were committed.
  [[nodiscard]] Status read_rows(std::vector<BlockRow>& rows);
  /// Those from an id on.
  [[nodiscard]] Result<std::vector<BlockRow>> rows_from(std::int64_t id);
  /// How many blocks were committed; nothing when the file does not say.
  [[nodiscard]] Result<std::optional<std::uint64_t>> block_count();
  [[nodiscard]] Result<BlockHeader> header(std::int64_t id, ZstdCodec& codec);
  /// The header of a block of events or profiles.
  [[nodiscard]] Result<ColumnsHeader> columns_header(std::int64_t id, ZstdCodec& codec);
  /// The bytes of one chunk, valid until the next call.
  [[nodiscard]] Result<std::string_view> chunk(std::int64_t id, std::size_t counter);
  [[nodiscard]] Result<Notes> notes(ZstdCodec& codec);
  /// Other numbers than before whenever a writer has changed the notes.
  [[nodiscard]] Result<std::array<std::int64_t, 2>> notes_mark();

  /// Where the file is now; for one that is open for writing or was opened under the host's lock.
  [[nodiscard]] FilePlace place() const;
  /// Moves everything from the write-ahead log into the file itself. kTemporary while a reader is in the way.
  [[nodiscard]] Status fold_log();
  /// Copies everything that was committed into a new file, even when this one has no name any more.
  [[nodiscard]] Status copy_to(const std::filesystem::path& path, const char* vfs);
  /// Removes the write-ahead log and its index if the paths still name this file's: they must not stay beside
  /// another file. Nothing can be written afterwards.
  void remove_log();

  /// Rolls back, and returns whether all that was committed can be read, as far as SQLite checks that. For
  /// files without a journal, in which an error may leave half a transaction.
  [[nodiscard]] bool is_sound();
  /// Gives free pages back and leaves one plain file without journals, unless a reader is in the way.
  void finish();
  /// The same for a hidden file, which has no journal and is marked as finished from the beginning. An error
  /// means that the file was spoilt.
  [[nodiscard]] Status finish_hidden();

 private:
  /// The marks in `meta` that say whether a file and a log belong together.
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
      const std::filesystem::path& target, const char* vfs, KnownLog* log);
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
  [[nodiscard]] Status select_rows(std::int64_t from, std::vector<BlockRow>& rows);
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
  std::shared_ptr<const SideFiles> side_files_;  ///< Set if nobody was writing the file when it was opened.
  std::string loss_;
  bool wal_ = false;
  Fd handle_;                                   ///< O_PATH: identifies the file without opening it.
  std::array<std::optional<FileId>, 2> log_{};  ///< The write-ahead log and its index, once they are there.
  bool blocks_changed_ = false;                 ///< In the open transaction.
  bool facts_changed_ = false;
  std::vector<Statement> statements_;
};

/// Folds the write-ahead logs that crashes have left behind into a writer's files and finishes these, so that
/// a day that nobody continues is one plain file again. A damaged file stays as it is, for readers to report.
/// The caller holds their lock and has none of its files open.
void fold_logs(const std::filesystem::path& folder, const WriterName& writer, const char* vfs);

}  // namespace laggard::archive
