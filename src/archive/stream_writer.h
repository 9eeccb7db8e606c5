#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/batch.h"
#include "archive/file_name.h"
#include "archive/file_writer.h"
#include "archive/new_files.h"
#include "archive/stream_folder.h"
#include "archive/writer.h"
#include "base/lock_file.h"

namespace laggard::archive {

/// Writes one stream of a recording, whichever it is. It does what Writer and ObservationWriter promise.
class StreamWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StreamWriter>> open(const std::filesystem::path& directory,
                                                                  Stream stream, const WriterOptions& options,
                                                                  Clock& clock);
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;
  ~StreamWriter();

  [[nodiscard]] Status claim(const std::string& host);
  /// See ObservationWriter.
  [[nodiscard]] Result<std::vector<std::string>> bookmarks(const std::string& host, const std::string& kind);
  /// A batch of the stream.
  [[nodiscard]] Status append(Batch batch);
  [[nodiscard]] Status describe(const DeviceInfo& device);
  [[nodiscard]] Status note_gap(const Gap& gap);
  [[nodiscard]] Status flush();
  [[nodiscard]] Status close();
  [[nodiscard]] const WriteStats& stats() const { return stats_; }

 private:
  StreamWriter(StreamFolder folder, const WriterOptions& options, Clock& clock)
      : folder_(std::move(folder)), options_(options), clock_(clock), codec_(options.zstd_level) {}

  struct OpenFile {
    std::unique_ptr<FileWriter> writer;
    std::uint64_t used = 0;
  };

  [[nodiscard]] WriterName writer_of(const std::string& host) const {
    return {.host = host, .recorder = options_.recorder};
  }
  Status append_part(Batch part);
  Status open_at_once(const FileWriter& writer);
  Result<FileWriter*> writer_for(const Batch& part);
  Result<FileWriter*> add_writer(const FileIdentity& identity, std::int64_t day);
  Result<std::unique_ptr<DayFile>> open_file(const FileIdentity& identity, std::int64_t day, WallTime first);
  Result<std::unique_ptr<DayFile>> find_file(const FileIdentity& identity, std::int64_t day);
  Status close_others(const FileWriter& keep);
  Status close_least_used();
  Status bound_pending();
  [[nodiscard]] std::size_t pending_bytes() const;
  [[nodiscard]] bool is_open(const std::string& host) const;
  Status finish(std::size_t index);
  Status flush_when_due();
  Status flush_files();
  Status keep_folder();
  Status keep_places();
  Status hold_lock(const std::string& host);
  Result<LockFile> lock_another(const std::string& host);
  void keep_note(const std::string& host, GapRow note);
  Status settle(Status done);
  Status name_new_files();
  void keep_committed();
  void count(FileWriter& writer);
  [[nodiscard]] bool is_hidden_taken(const std::filesystem::path& hidden) const;
  /// Whether new files are hidden until they are named. Not with a test's VFS, which must see every write and
  /// sync.
  [[nodiscard]] bool makes_hidden() const {
    return options_.existing == Existing::kSkipEqual && options_.vfs == nullptr;
  }

  StreamFolder folder_;
  WriterOptions options_;
  Clock& clock_;
  ZstdCodec codec_;
  WriteStats stats_;
  std::vector<OpenFile> files_;
  NewFiles new_files_;
  std::map<std::string, LockFile> locks_;             ///< Of hosts.
  std::map<std::string, Facts> facts_;                ///< Of hosts.
  std::map<std::string, std::vector<GapRow>> notes_;  ///< By host, until there is a file for them.
  std::set<std::string> recorded_;                    ///< Hosts for which a file was opened.
  std::uint64_t order_ = 0;
  std::optional<MonoTime> due_;  ///< When the oldest pending sample must be on disk.
  /// Why the last attempt to write failed; there is no further attempt before the next flush.
  std::optional<Error> refusal_;
};

}  // namespace laggard::archive
