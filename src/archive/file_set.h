#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/day_file.h"
#include "archive/file_name.h"
#include "archive/reader.h"

namespace laggard::archive {

struct SourceFile {
  std::filesystem::path path;
  std::string host;
  std::string boot;
  Stream stream = Stream::kMetrics;
  WallTime start;  ///< From its name.
  int copy = 1;
  /// From its earliest to its latest sample, once its blocks have been listed.
  std::optional<TimeSpan> extent = std::nullopt;
  /// With a cache: its state before it was opened, if it is finished and nothing is wrong with it so far.
  std::optional<FileStamp> finished = std::nullopt;
};

struct ListedRows;

/// The files of one or several recordings, sorted by stream, host and start. A bounded number of them is
/// open.
class FileSet {
 public:
  explicit FileSet(const ReaderOptions& options);

  /// Adds what `path` holds: a recording, a stream folder or one file.
  [[nodiscard]] Status add(const std::filesystem::path& path);
  /// Reports the files that are no recordings, and those by an earlier version, which count as damaged, since
  /// their content is not read. They are an error when there is nothing else.
  [[nodiscard]] Status name_foreign_files();
  /// All have been added: sorts them.
  void end_listing();

  [[nodiscard]] const std::vector<SourceFile>& files() const { return files_; }
  /// Opens a file for reading, as a snapshot. Valid until the next call.
  [[nodiscard]] Result<DayFile*> open(std::size_t index);
  /// It is not needed now: closes it, unless it may stay open (ReaderOptions::cache).
  void close(std::size_t index);
  void close_now(std::size_t index) { open_.erase(index); }

  /// Null when there is none.
  [[nodiscard]] ReaderCache* cache() const { return options_.cache; }
  /// The listed file was read, and nothing is wrong with it: later readers need not open it.
  void remember(std::size_t index);
  [[nodiscard]] ZstdCodec& codec() { return codec_; }
  void notice(std::string sentence);
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
  /// Adds a notice and counts the file as damaged: something that was recorded in it cannot be read.
  void damage(const std::filesystem::path& path, std::string sentence);
  [[nodiscard]] const std::set<std::string>& damaged() const { return damaged_; }
  /// The notices of damage that concern data that is in no file at all: nothing in the files can make up for
  /// it.
  [[nodiscard]] const std::vector<std::string>& absent() const { return absent_; }

  /// Adds a stretch of some host's time that was recorded twice or out of order.
  void add_disorder(TimeSpan span) { disorder_.push_back(span); }
  [[nodiscard]] const std::vector<TimeSpan>& disorder() const { return disorder_; }

  /// The files of one stream, which are consecutive: the index of the first, and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> of_stream(Stream stream) const;
  /// The file's blocks of known kinds. Damage becomes a notice, and the blocks that it hides are left out.
  [[nodiscard]] Result<std::vector<BlockRow>> rows(std::size_t index);
  /// The same without some that end before `from`.
  [[nodiscard]] Result<std::vector<BlockRow>> rows_from(std::size_t index, std::optional<WallTime> from);
  /// The blocks that have come since they were listed; nothing when those were not all that has changed.
  [[nodiscard]] Result<std::optional<std::vector<BlockRow>>> new_rows(std::size_t index,
                                                                      const ListedRows& listed);
  /// Fails when somebody has begun to write to the file since it was opened.
  [[nodiscard]] Status check_unchanged(std::size_t index);
  /// A block's header, checked against its row. Damage is an error kDamaged that names file and span.
  [[nodiscard]] Result<BlockHeader> header(std::size_t index, const BlockRow& row);
  /// The same for a block of events or profiles.
  [[nodiscard]] Result<ColumnsHeader> columns_header(std::size_t index, const BlockRow& row);

 private:
  struct Open {
    std::unique_ptr<DayFile> file;
    std::uint64_t used = 0;
  };
  /// \param stream  the stream that its files should belong to; nothing for a folder with another name.
  [[nodiscard]] Status add_folder(const std::filesystem::path& folder, std::optional<Stream> stream);
  [[nodiscard]] Status add_subfolder(const std::filesystem::path& recording,
                                     const std::filesystem::path& entry);
  [[nodiscard]] Status add_file(const std::filesystem::path& path, std::optional<Stream> stream);
  /// Leaves out a file that cannot be opened. Returns an error if that must end the reading.
  [[nodiscard]] Status leave_out(const std::filesystem::path& path, const Error& error);
  void add_source(const std::filesystem::path& path, const DayFile& file);
  [[nodiscard]] Status add_to_cache(std::unique_ptr<DayFile> file, std::optional<FileStamp> stamp);
  void extend(std::size_t index, TimeSpan extent);
  void check_extent(const SourceFile& file);
  [[nodiscard]] tl::unexpected<Error> lost_block(std::size_t index, const BlockRow& row,
                                                 std::string_view why);
  /// Leaves out kinds that only a later version knows, with a notice.
  void leave_unknown_kinds(std::size_t index, std::vector<BlockRow>& rows);
  void miss(const std::filesystem::path& path, std::string sentence);
  void make_room();
  /// How many files `add` has found, of whatever kind.
  [[nodiscard]] std::size_t found() const {
    return files_.size() + again_ + notices_.size() + foreign_.size();
  }

  ReaderOptions options_;
  ZstdCodec codec_;
  std::vector<SourceFile> files_;
  std::set<std::filesystem::path> known_;
  std::size_t again_ = 0;  ///< Files that were given before, under this name or another.
  std::map<std::size_t, Open> open_;
  std::uint64_t uses_ = 0;
  std::vector<std::string> notices_;
  std::set<std::string> damaged_;
  std::vector<std::string> absent_;
  std::vector<TimeSpan> disorder_;
  std::vector<Error> foreign_;
};

}  // namespace laggard::archive
