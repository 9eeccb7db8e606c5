#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "archive/writer.h"
#include "model/observation_source.h"

namespace laggard::archive {

/// Writes events and profiles into a recording, into the folders `events` and `profiles`, each of which is
/// made with its first table. Everything that is said of Writer as a recorder (Existing::kAppend) holds here
/// too: locks, which each stream has of its own, days, flushes, full disks, and files that are removed
/// meanwhile.
///
/// Rows that had to be given up become a loss of their stream. A host may name kMaxFileWords different
/// strings (format.h) in one day and stream: what would name more is refused with kBadInput and not taken. A
/// table of more than kBlockRows rows or of several days is taken in parts, of which those before stay.
class ObservationWriter final : public ObservationSink {
 public:
  /// \param options  `existing` is not regarded: every observation is new. \param clock  outlives the writer.
  ObservationWriter(std::filesystem::path directory, const WriterOptions& options, Clock& clock);
  ObservationWriter(const ObservationWriter&) = delete;
  ObservationWriter& operator=(const ObservationWriter&) = delete;
  /// Closes if nobody has; errors are then nobody's: call close().
  ~ObservationWriter() override;

  /// Makes sure that no other process writes this stream of the host, now and until close().
  [[nodiscard]] Status claim(ObservationShape shape, const std::string& host);
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
