#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/sim/buffer_cache.h"
#include "lab/sim/disk.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/journal.h"
#include "lab/sim/network.h"
#include "lab/sim/random.h"

namespace laggard::lab {

// What clients ask of servers, the network that carries it, and the servers that do it.

/// The kind of a client's request to a server.
enum class RpcKind : std::uint8_t {
  kQuery,   ///< Answered from memory: lookups, attributes, locks.
  kUpdate,  ///< Changes metadata: entries, attributes, objects.
  kSync,    ///< An update that waits for the data of the range as well: fsync.
  kRead,
  kWrite,
};

struct Rpc {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  RpcKind kind = RpcKind::kQuery;
  std::int64_t at = 0;      ///< Position on the server's disk.
  std::int64_t bytes = 0;   ///< Of data.
  std::uint32_t pages = 1;  ///< Pages of the server's databases that an update changes.
  Signal done{};
};

/// The part of a server behind its network interface.
class Service {
 public:
  virtual ~Service() = default;
  /// The server's daemon takes or sends a message with so many bytes of data.
  /// \return when it is done with that: now, or later.
  virtual SimTime handle(std::int64_t bytes, SimTime now) = 0;
  /// \param thread  number of the server thread that handles it, unique among the busy ones.
  /// \param served  raised when the answer can be sent.
  virtual void serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) = 0;
};

/// Positions on the storage disk of a file server: metadata and journal first, as mkfs puts them, then the
/// objects, with a separate range for each client.
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

/// What a server's daemon used and waited for, in nanoseconds.
struct DaemonCounters {
  std::uint64_t cpu_ns = 0;
  std::uint64_t run_wait_ns = 0;
  std::uint64_t throttled_ns = 0;
  bool stopped = false;
};

/// The process that carries a server's messages. A healthy one takes no time for that, since the model has no
/// processors; one that is kept from its core needs kMessage and kByteSeconds of it for every message, of the
/// order of a copy and some system calls on F §8's machines, one message after the other.
class Daemon {
 public:
  /// Why it has only a share of a core.
  enum class Kept : std::uint8_t {
    kByNobody,
    kByQuota,       ///< Of its control group.
    kByNeighbours,  ///< Which want the same core.
  };
  static constexpr SimTime kMessage = std::chrono::microseconds(50);
  static constexpr double kByteSeconds = 1e-9;

  /// Requires 0 < share <= 1.
  void keep(Kept kept, double share) {
    kept_ = kept;
    share_ = share;
  }
  /// It does nothing until then.
  void stop_until(SimTime until) { stopped_until_ = until; }

  /// \return when it is done with a message that came now.
  SimTime handle(std::int64_t bytes, SimTime now);
  [[nodiscard]] DaemonCounters counters(SimTime now) const;

 private:
  Kept kept_ = Kept::kByNobody;
  double share_ = 1;
  SimTime stopped_until_{};
  SimTime busy_until_{};
  DaemonCounters counters_;
};

/// A file server: reads and writes go to its disk past any cache (F §8: PVFS with direct I/O; Lustre 1.6 has
/// no cache on its servers), by a thread per request; with PvfsSpec::buffered through the kernel's cache.
///
/// PVFS keeps metadata in a database that is synced before an update is answered (TroveSyncMeta); updates
/// that come while a sync is under way share the next one, at most eight (its CoalescingHighWatermark).
/// Lustre's updates go to the journal of the disk's file system, and nobody waits for that; with
/// LustreSpec::sync_journal a write is answered when its data and its transaction are on disk.
class FileServer final : public Service, public EventHandler {
 public:
  /// \param geometry  of this server's own disk.
  FileServer(EventQueue& queue, const ClusterSpec& cluster, const DiskGeometry& geometry,
             const Random& random);

  [[nodiscard]] Disk& disk() { return disk_; }
  [[nodiscard]] const Disk& disk() const { return disk_; }
  /// Null with direct I/O.
  [[nodiscard]] const BufferCache* cache() const { return cache_ ? &*cache_ : nullptr; }
  [[nodiscard]] Daemon& daemon() { return daemon_; }
  [[nodiscard]] const Daemon& daemon() const { return daemon_; }

  SimTime handle(std::int64_t bytes, SimTime now) override { return daemon_.handle(bytes, now); }
  void serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

  /// Streams below this number do not belong to the server's threads.
  static constexpr std::uint32_t kHogStream = 0;
  static constexpr std::uint32_t kFirstThreadStream = 1;

 private:
  enum Kind : std::uint32_t { kSynced, kDataSynced, kWritePart };

  void read(const Rpc& rpc, std::uint32_t thread, const Signal& served);
  void write(const Rpc& rpc, const Signal& served);
  void update(const Rpc& rpc, const Signal& served);
  void sync(const Rpc& rpc, const Signal& served);
  void sync_database();
  void write_data(const Rpc& rpc, const Signal& written);
  void write_with_journal(const Rpc& rpc, const Signal& served);

  EventQueue& queue_;
  FileSystem file_system_;
  std::size_t most_coalesced_;
  bool sync_journal_;
  Random random_;
  Disk disk_;
  Journal journal_;
  std::optional<BufferCache> cache_;
  Daemon daemon_;

  struct AfterData {
    Rpc rpc;
    Signal served;
  };
  std::map<std::uint64_t, AfterData> after_data_;  ///< Updates whose data is being synced.
  std::uint64_t next_sync_ = 0;

  struct Update {
    Signal served;
    std::uint32_t pages = 0;
  };
  std::vector<Update> updates_;  ///< Waiting for the next sync.
  std::vector<Signal> syncing_;

  struct JournaledWrite {
    Signal served;
    int parts = 2;  ///< That are not on disk yet: the data, the transaction.
  };
  std::map<std::uint64_t, JournaledWrite> journaled_writes_;
  std::uint64_t next_write_ = 0;
};

/// Lustre's single metadata server. It has no peers and is not recorded (F §2: "cannot diagnose ... Lustre's
/// single metadata server"); it only limits the rate of metadata operations.
class MetadataServer final : public Service {
 public:
  MetadataServer(EventQueue& queue, const LustreSpec& spec, Random random)
      : queue_(queue),
        mean_seconds_(spec.metadata_seconds),
        wander_(spec.metadata_wander, spec.metadata_wander_seconds),
        random_(random) {}

  SimTime handle(std::int64_t /*bytes*/, SimTime now) override { return now; }
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

/// All hosts and a connection between every client and every server. Hosts are numbered: servers, the
/// metadata server (Lustre's; idle otherwise), clients, and a third party for the network hogs.
class Fabric {
 public:
  Fabric(EventQueue& queue, const ClusterSpec& spec, const Random& random);

  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }

  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] std::size_t clients() const { return clients_; }
  [[nodiscard]] std::size_t metadata_server() const { return servers_; }
  [[nodiscard]] std::size_t client_host(std::size_t client) const { return servers_ + 1 + client; }
  [[nodiscard]] std::size_t third_party() const { return servers_ + 1 + clients_; }

  [[nodiscard]] TcpFlow& to_server(std::size_t client, std::size_t server) {
    return *up_[client * (servers_ + 1) + server];
  }
  [[nodiscard]] TcpFlow& to_client(std::size_t client, std::size_t server) {
    return *down_[client * (servers_ + 1) + server];
  }

 private:
  std::size_t servers_;
  std::size_t clients_;
  Network network_;
  std::vector<std::unique_ptr<TcpFlow>> up_;
  std::vector<std::unique_ptr<TcpFlow>> down_;
};

/// Carries requests from clients to servers and answers back. Whatever reaches a server or leaves it is
/// handled by the server's daemon first.
///   query, update:  request -> served -> answer
///   read:           request -> read from disk -> answer with the data
///   write:          request -> "ready" -> data -> written to disk -> answer; small ones send data with the
///   request
class RpcEngine final : public EventHandler {
 public:
  /// \param services  one per server, the metadata server's last; they outlive the engine.
  RpcEngine(EventQueue& queue, Fabric& fabric, std::vector<Service*> services, const MessageSizes& sizes);

  /// `rpc.done` is raised when the answer has reached the client.
  void start(const Rpc& rpc);

  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Stage : std::uint32_t { kRequested, kReady, kDataCame, kServed, kAnswered };
  static constexpr std::uint32_t kHandled = 1U << 31U;  ///< A stage that the daemon is done with.

  /// Whether the daemon of the server is done with this stage of a request; if not, it goes on later.
  [[nodiscard]] bool is_handled(const Rpc& rpc, std::uint32_t stage, std::uint64_t slot);

  [[nodiscard]] bool is_eager(const Rpc& rpc) const {
    return rpc.kind == RpcKind::kWrite && rpc.bytes <= sizes_.largest_eager;
  }

  EventQueue& queue_;
  Fabric& fabric_;
  std::vector<Service*> services_;
  MessageSizes sizes_;
  std::vector<Rpc> rpcs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace laggard::lab
