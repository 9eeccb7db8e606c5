#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/activity.h"
#include "archive/batch.h"
#include "archive/day_file.h"
#include "archive/existing.h"
#include "archive/limits.h"
#include "archive/pending_batches.h"
#include "archive/small_blocks.h"
#include "archive/writer.h"

namespace laggard::archive {

/// Writes batches of any stream to one day file: holds them until a flush, makes blocks of them, and merges
/// small blocks into large ones. It opens its file as soon as it can, so that nothing is lost while the disk
/// is full.
class FileWriter {
 public:
  struct Options {
    /// Finds or makes the file; called again after it has failed. One that exists may come open for reading
    /// only: then it is opened for writing when something is to be written to it.
    std::function<Result<std::unique_ptr<DayFile>>(WallTime first_sample)> open;
    Existing existing = Existing::kAppend;
    /// Another file of the host was written before, so continuing this one is no restart of the recorder.
    bool goes_on = false;
    const char* vfs = nullptr;
    std::function<void(const std::string&)> say;  ///< Called with what other programs did to the file.
  };

  /// \param codec  outlives the writer.
  FileWriter(FileIdentity identity, std::int64_t day, Options options, ZstdCodec& codec);

  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] std::int64_t day() const { return day_; }

  /// Takes a part of this identity and day as `by_day` makes it. kBadInput, and it is not taken, when it has
  /// more words than a file may name.
  [[nodiscard]] Status add(Batch batch, std::uint64_t order);
  void add_gap(GapRow gap) { gaps_.push_back(std::move(gap)); }
  /// Sets all facts of the host; those that the file already has are not written again.
  void set_facts(const Facts& facts);

  /// Opens the file if it is not; requires pending samples.
  [[nodiscard]] Status ensure_open();
  /// Writes all that is pending or, on an error, nothing, in one transaction. A file that was removed or
  /// replaced meanwhile is saved and another one begun. kBadUse when everything was written but the path now
  /// names something that is no recording.
  [[nodiscard]] Status flush();
  /// flush, then leaves the file in its final form. \return where it is; nothing when there is none.
  [[nodiscard]] Result<std::optional<std::filesystem::path>> finish();
  /// For a hidden file after an error: gives up what is pending and closes the file with what was committed.
  /// \return where it is; nothing when it was empty or spoilt, and was therefore removed.
  [[nodiscard]] std::optional<std::filesystem::path> keep_committed();

  /// The file's path while it is open, else empty.
  [[nodiscard]] std::filesystem::path path() const;
  /// What was committed since the last call.
  [[nodiscard]] WriteStats take_stats() { return std::exchange(stats_, {}); }

  [[nodiscard]] const PendingBatches& pending() const { return pending_; }
  /// As PendingBatches::drop_oldest.
  std::uint64_t drop_oldest(const std::string& reason) { return pending_.drop_oldest(reason); }
  /// The gaps that are still to be noted and have no file yet.
  [[nodiscard]] std::vector<GapRow> take_gaps();

 private:
  /// What of a kind is in the file; restored when a transaction is rolled back.
  struct Written {
    SmallBlocks small;
    std::uint64_t next_number = 0;  ///< For events and profiles, see ColumnsHeader.
    ActivityTracker activity;
  };
  [[nodiscard]] Written& written_of(const std::string& kind);
  [[nodiscard]] Status load_state();
  [[nodiscard]] Result<bool> holds_all(WriteStats& stats);
  [[nodiscard]] Status begin_writing();
  void forget_file();
  [[nodiscard]] Status write_all(WriteStats& stats);
  [[nodiscard]] Status write_piece(Batch piece, Written& written, WriteStats& stats);
  [[nodiscard]] StoredBlock encode(const Batch& piece, Written& written);
  [[nodiscard]] Status load_headers(const std::vector<BlockRow>& rows);
  [[nodiscard]] bool is_metrics() const { return identity_.stream == Stream::kMetrics; }
  [[nodiscard]] Status write_facts();
  void note_restart(WallTime first);
  [[nodiscard]] Status follow_file();
  [[nodiscard]] Status take_file();
  void forget_pending();
  void extend_span(WallTime from, WallTime to);

  FileIdentity identity_;
  std::int64_t day_;
  Options options_;
  ZstdCodec& codec_;
  std::unique_ptr<DayFile> file_;
  PendingBatches pending_;
  std::map<std::string, Written> written_;  ///< By kind.
  FileWords words_;
  WriteStats stats_;
  std::vector<GapRow> gaps_;
  std::optional<WallTime> resumed_after_;  ///< The last sample of an earlier writer of the same file.
  std::optional<TimeSpan> span_;           ///< The time that the file covers.
  std::optional<Error> foreign_;           ///< Why the file that took the path must not be written to.
  Facts facts_;                            ///< To be written.
  Facts facts_in_file_;
};

}  // namespace laggard::archive
