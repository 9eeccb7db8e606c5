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

class ReaderCache;

struct ReaderOptions {
  /// Makes inventory() and observations() check the checksum of every chunk. Otherwise they read only
  /// headers, and damage to values is found when these are read.
  bool verify = false;
  /// Reading in order of time needs a file of each host at once. 0 means a quarter of the process's limit,
  /// because SQLite opens up to three files for one that is being written.
  std::size_t max_open_files = 0;
  const char* vfs = nullptr;
  /// What earlier readers of the same paths have learnt (reader_cache.h), for this one to go on from. Files
  /// that have changed then stay open, as long as there are fewer than `max_open_files`. Not with `verify`,
  /// which looks at everything.
  ReaderCache* cache = nullptr;
};

/// Reads one or several recordings as one. It can be used while a writer is at work; a TableReader then sees
/// each file as it was when it opened it.
///
/// Damage never ends a reading and never gives a wrong value: what its checksum does not prove is left out as
/// missing, notices() names the file and the span, and damaged() lists the file. The same holds for a file
/// that cannot be read at all, unless a writer is only just making it. Reading never writes, makes or deletes
/// anything in a recording.
class Reader final : public SeriesSource, public ObservationSource {
 public:
  /// \param paths  recordings (folders with `metrics/`, `events/`, `profiles/`), folders of recordings,
  /// stream folders, or single `.lgd` files. kTooNew when any file is by a later version; kNotFound when
  /// there is none; kTooOld or kBadInput when all files are by an earlier version or, by name and content, no
  /// archives: beside other files these are only a notice.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(std::span<const std::filesystem::path> paths,
                                                            const ReaderOptions& options = {});
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() override;

  [[nodiscard]] Result<Inventory> inventory() override;
  /// Tables of a host and kind come in order of time where blocks do not overlap, and in order of recording
  /// where they do (a clock that was stepped back, an import that corrects an older one), so that the later
  /// record of a time comes later. The table reader must not outlive this.
  [[nodiscard]] Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) override;

  [[nodiscard]] Result<std::vector<ObservationStream>> observations() override;
  /// In the same order within a host and kind as samples.
  [[nodiscard]] Result<std::unique_ptr<EventReader>> read_events(const ObservationRequest& request) override;
  [[nodiscard]] Result<std::unique_ptr<ProfileReader>> read_profiles(
      const ObservationRequest& request) override;

  /// Streams that were skipped and damage found so far, one sentence each.
  [[nodiscard]] std::vector<std::string> notices() const override;
  [[nodiscard]] std::vector<std::string> damaged() const override;
  /// Stretches of time in which some host's samples are out of order or recorded twice (clocks that were set
  /// back, recordings of the same time put side by side), as found by the inventory: what is read from them
  /// depends on what is read before. In order of time and disjoint.
  [[nodiscard]] std::vector<TimeSpan> disorder() const;
  /// The files that are read, for people.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace laggard::archive
