#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/sim/disk.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// What a client asks of a server.
enum class RpcKind : std::uint8_t {
  kQuery,   ///< Answered from memory: lookups, attributes, locks.
  kUpdate,  ///< Changes metadata: entries, attributes, objects.
  kRead,
  kWrite,
};

struct Rpc {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  RpcKind kind = RpcKind::kQuery;
  std::int64_t at = 0;      ///< Position on the server's disk.
  std::int64_t bytes = 0;   ///< Of data.
  std::uint32_t pages = 1;  ///< Of the server's databases that an update changes.
  Signal done{};
};

/// The part of a server behind its network interface.
class Service {
 public:
  virtual ~Service() = default;
  /// \param thread  number of the server thread that handles it, unique among those that are at work.
  /// \param served  raised when the answer can go out.
  virtual void serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) = 0;
};

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

/// Lustre's one metadata server. It has no peers and is not recorded (F §2: "cannot diagnose ... Lustre's
/// single metadata server"); it only sets the pace of metadata.
class MetadataServer final : public Service {
 public:
  MetadataServer(EventQueue& queue, const LustreSpec& spec, Random random)
      : queue_(queue),
        mean_seconds_(spec.metadata_seconds),
        wander_(spec.metadata_wander, spec.metadata_wander_seconds),
        random_(random) {}

  void serve(const Rpc& /*rpc*/, std::uint32_t /*thread*/, const Signal& served) override {
    const SimTime start = std::max(queue_.now(), busy_until_);
    const double mean = mean_seconds_ * wander_.factor(queue_.now(), random_);
    busy_until_ = start + from_seconds(mean * (0.5 + 0.5 * random_.exponential()));
    queue_.schedule(busy_until_, served);
  }

 private:
  EventQueue& queue_;
  double mean_seconds_;
  Wander wander_;
  Random random_;
  SimTime busy_until_{};
};

}  // namespace laggard::lab
