#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::archive {

class StreamWriter;

/// What to do with a cell for which the archive already has a value at that time.
enum class Existing : std::uint8_t {
  kAppend,     ///< Store everything as it comes: for recorders, whose every sample is new.
  kSkipEqual,  ///< Leave out cells that are there with the same value: for imports, so that doing one again
               ///< adds nothing. One with another value is stored behind the old one and, as the later
               ///< record, is what analyses use.
};

struct WriterOptions {
  /// How much can be lost when the machine dies. Zero writes only when a block is full and at the end.
  Duration flush_interval = std::chrono::seconds{10};
  Existing existing = Existing::kAppend;
  /// The most unwritten samples of all hosts together. Beyond it they are flushed; while the disk is full the
  /// oldest are dropped, counted, and recorded as a gap.
  std::size_t max_pending_bytes = std::size_t{64} << 20;
  std::size_t max_open_files = 16;
  /// Measured in docs/bench.md.
  int zstd_level = 1;
  /// Which recorder of its host writes (WriterName), or the import of what that one records: those of other
  /// names may write beside it. Empty for metrics.
  std::string recorder = {};
  /// Called, on the thread that writes, with a sentence on what other programs did to the recording
  /// meanwhile.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// The name of an SQLite VFS, for tests with failing disks.
  const char* vfs = nullptr;
};

struct WriteStats {
  std::uint64_t cells_added = 0;
  std::uint64_t cells_already_there = 0;
  std::uint64_t rows_added = 0;    ///< Events or periods of profiles.
  std::uint64_t samples_lost = 0;  ///< Rows dropped because nothing could be written for too long.
  bool operator==(const WriteStats&) const = default;
};

/// Writes recordings: takes tables of any hosts, kinds and lengths in order of recording, keeps a file per
/// host, boot and day under `DIRECTORY/metrics`, and makes samples durable at each flush.
///
/// An import writes its new files under hidden names and then names many of them together: until a flush, or
/// until there are many, they are invisible, and after a crash none of them is incomplete.
///
/// When a recording is removed, moved or replaced while it is being written, that is noticed at the next
/// flush: its content is saved where possible, and writing continues under the old path.
///
/// Errors of append, flush and close:
/// - kNoSpace: nothing acknowledged is lost; samples wait in memory (max_pending_bytes), and the next flush
///   tries again. Keep calling. A recorder (Existing::kAppend) gets this for every error that may pass: a
///   file system that has become read-only, no descriptors, no memory, a failing disk.
/// - kUnavailable: another writer has this host.
/// - kTooNew, kDamaged: today's file of the host cannot be continued; kTooOld: an import cannot continue it,
///   while a recorder begins another file beside it.
/// - kBadUse: the path now names something that is no recording.
/// For an import a failed close is final: what was committed is kept where possible, the rest is given up.
class Writer final : public TableSink {
 public:
  /// Makes the directory if need be. \param clock  outlives the writer.
  [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& directory,
                                                            const WriterOptions& options, Clock& clock);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Closes if nobody has; errors are then nobody's: call close().
  ~Writer() override;

  /// Makes sure that no other process writes this host from now until close(), so that a second recorder
  /// finds out at its start. Without this call append does it. A lack of room for the lock is no error: it is
  /// taken later.
  [[nodiscard]] Status claim(const std::string& host);
  [[nodiscard]] Status append(const SampleTable& table) override;
  [[nodiscard]] Status describe(const DeviceInfo& device) override;
  /// A reason for a stretch without samples, shown where the reader finds one.
  [[nodiscard]] Status note_gap(const Gap& gap) override;

  /// On return everything appended so far survives a power cut.
  [[nodiscard]] Status flush();
  /// Flushes, merges what is left in small blocks, leaves plain files.
  [[nodiscard]] Status close();

  /// Counts what has been flushed.
  [[nodiscard]] WriteStats stats() const;

 private:
  explicit Writer(std::unique_ptr<StreamWriter> writer);
  std::unique_ptr<StreamWriter> writer_;
};

/// Writes events and profiles into a recording, into the folders `events` and `profiles`, each of which is
/// made with its first table. Everything that holds for Writer as a recorder (Existing::kAppend) holds here
/// too: locks, which each stream and recorder has separately, days, flushes, full disks, and files that are
/// removed meanwhile.
///
/// Rows that had to be given up become a loss of their stream. A host may name kMaxFileWords distinct strings
/// (format.h) in one day and stream; a table that would name more is refused with kBadInput and not taken. A
/// table of more than kBlockRows rows or of several days is taken in parts, and the parts before a refused
/// one stay.
class ObservationWriter final : public ObservationSink {
 public:
  /// \param options  `existing` is ignored: every observation is new. \param clock  outlives the writer.
  ObservationWriter(std::filesystem::path directory, const WriterOptions& options, Clock& clock);
  ObservationWriter(const ObservationWriter&) = delete;
  ObservationWriter& operator=(const ObservationWriter&) = delete;
  /// Closes if nobody has; errors are then nobody's: call close().
  ~ObservationWriter() override;

  /// Makes sure that no other process writes this stream of the host, now and until close().
  [[nodiscard]] Status claim(ObservationShape shape, const std::string& host);
  /// The bookmarks (EventTable) that the host's files have for events of a kind, at most one of each file, in
  /// no particular order. What cannot be read has none. Requires a claim, and nothing appended since.
  [[nodiscard]] Result<std::vector<std::string>> bookmarks(const std::string& host, const std::string& kind);
  [[nodiscard]] Status append(const EventTable& table) override;
  [[nodiscard]] Status append(const ProfileTable& table) override;
  /// A reason for a stretch without observations.
  [[nodiscard]] Status note_gap(ObservationShape shape, const Gap& gap);

  /// On return everything appended so far survives a power cut.
  [[nodiscard]] Status flush();
  /// Flushes, merges what is left in small blocks, leaves plain files.
  [[nodiscard]] Status close();

  /// Counts what has been flushed.
  [[nodiscard]] WriteStats stats() const;

 private:
  [[nodiscard]] Result<StreamWriter*> writer(ObservationShape shape);

  std::filesystem::path directory_;
  WriterOptions options_;
  Clock& clock_;
  std::unique_ptr<StreamWriter> events_;
  std::unique_ptr<StreamWriter> profiles_;
};

}  // namespace laggard::archive
