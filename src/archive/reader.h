#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::archive {

struct ReaderOptions {
  /// Let inventory() and observations() read every chunk and hold it against its checksum; otherwise they
  /// look at headers only and damage to values shows when they are read.
  bool verify = false;
  /// A reading that goes through time needs a file of each host at once. 0: a quarter of what the process may
  /// have open, as SQLite opens up to three for one that is being written.
  std::size_t max_open_files = 0;
  const char* vfs = nullptr;
};

/// Reads recordings, several side by side as one. May be used while a writer is at work; a TableReader then
/// sees each file as it was when it came to it.
///
/// Damage never ends a reading and never gives a wrong value: what cannot be proven by its checksum is left
/// out as missing, notices() says which file and span, and damaged() counts the file. That is also said of a
/// file that is there and cannot be read at all, unless a writer is only just making it. Nothing in a
/// recording is ever written, made or deleted by reading it.
class Reader final : public SeriesSource, public ObservationSource {
 public:
  /// \param paths  recordings (folders with `metrics/`, `events/`, `profiles/`), stream folders, or single
  /// `.lgd` files. kTooNew at
  ///               once when one of the files is by a later version; kNotFound when there is none; kTooOld
  ///               and kBadInput when there are only files by an earlier one, or that are no archives by name
  ///               and content: beside others these are a notice.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(std::span<const std::filesystem::path> paths,
                                                            const ReaderOptions& options = {});
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() override;

  [[nodiscard]] Result<Inventory> inventory() override;
  /// Order within a host and kind: by time where blocks do not overlap, by recording where they do (a clock
  /// that was stepped back, an import that corrects an older one), so that the later record of a time comes
  /// later. The table reader must not outlive this.
  [[nodiscard]] Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) override;

  [[nodiscard]] Result<std::vector<ObservationStream>> observations() override;
  /// Order within a host and kind as for samples.
  [[nodiscard]] Result<std::unique_ptr<EventReader>> read_events(const ObservationRequest& request) override;
  [[nodiscard]] Result<std::unique_ptr<ProfileReader>> read_profiles(
      const ObservationRequest& request) override;

  /// Streams that were skipped and damage that was met so far, one sentence each.
  [[nodiscard]] std::vector<std::string> notices() const override;
  [[nodiscard]] std::vector<std::string> damaged() const override;
  /// Stretches of time in which some host's samples are not in order, or are there twice (clocks that were
  /// set back, recordings of the same time put side by side), as the inventory came across them: what is read
  /// of them depends on what is read before. By time, apart from each other.
  [[nodiscard]] std::vector<TimeSpan> disorder() const;
  /// The files that are read, for people.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace laggard::archive
