#pragma once

#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/cluster/service.h"
#include "lab/sim/disk.h"

namespace laggard::lab {

/// Where things lie on the storage disk of a file server: metadata and journal first, as mkfs puts them, then
/// the objects, each client's in a stretch of its own.
struct DiskLayout {
  static constexpr std::int64_t kPage = 4096;
  static constexpr std::int64_t kDatabase = 1'000'000'000;
  static constexpr std::int64_t kDatabaseBytes = 256 << 20;
  static constexpr std::int64_t kJournal = 2'000'000'000;
  static constexpr std::int64_t kJournalBytes = 128 << 20;
  static constexpr std::int64_t kSmallFiles = 3'000'000'000;
  static constexpr std::int64_t kSmallFilesBytes = 4'000'000'000;
  static constexpr std::int64_t kObjects = 10'000'000'000;
  static constexpr std::int64_t kObjectSpacing = 4'000'000'000;
};

/// A file server: reads and writes go to its disk past any cache (F §8: PVFS with direct I/O; Lustre 1.6 has
/// no cache on its servers), by a thread per request.
///
/// PVFS keeps metadata in a database that is synced before an update is answered (TroveSyncMeta); updates
/// that come while a sync is under way share the next one, at most eight (its CoalescingHighWatermark).
/// Lustre's updates go to the journal of the disk's file system, which is written every five seconds (jbd).
class FileServer final : public Service, public EventHandler {
 public:
  /// \param geometry  of this server's own disk.
  FileServer(EventQueue& queue, const ClusterSpec& cluster, const DiskGeometry& geometry,
             const Random& random);

  [[nodiscard]] Disk& disk() { return disk_; }
  [[nodiscard]] const Disk& disk() const { return disk_; }

  void serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

  /// Streams of the disk below this belong to others than the server's threads.
  static constexpr std::uint32_t kHogStream = 0;
  static constexpr std::uint32_t kFirstThreadStream = 1;

 private:
  enum Kind : std::uint32_t { kSynced, kJournalTick };

  void read(const Rpc& rpc, std::uint32_t thread, const Signal& served);
  void write(const Rpc& rpc, const Signal& served);
  void update(const Rpc& rpc, const Signal& served);
  void sync_database();
  void write_journal();

  EventQueue& queue_;
  FileSystem file_system_;
  std::size_t most_coalesced_;
  Random random_;
  Disk disk_;

  struct Update {
    Signal served;
    std::uint32_t pages = 0;
  };
  std::vector<Update> updates_;  ///< That wait for the next sync.
  std::vector<Signal> syncing_;
  std::uint64_t journaled_ = 0;  ///< Updates since the last journal write.
  std::int64_t journal_at_ = 0;
};

}  // namespace laggard::lab
