#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_number.h"
#include "base/time.h"
#include "lab/cluster/fault_catalogue.h"
#include "lab/sim/buffer_cache.h"
#include "lab/sim/disk.h"
#include "lab/sim/network.h"

namespace laggard::lab {

/// Parameters of Lustre 1.6 apart from the limits of its clients (LustreLimits).
struct LustreSpec {
  /// Of a file over all servers, lfs's default; a multiple of an RPC (kLustreRpc).
  std::int64_t stripe = 1 << 20;
  /// The metadata server handles one request after the other, in this time on average: what F §8.1's 53,000
  /// transactions of ten clients in 600 s amount to.
  double metadata_seconds = 0.44e-3;
  /// Its speed wanders, as its journal is committed and its blocks are written back: a log-normal factor of
  /// this spread, correlated over the time below. All file servers see it alike. Both fitted: no figure is
  /// known.
  double metadata_wander = 0.15;
  double metadata_wander_seconds = 8;
  /// The application and the kernel, per transaction of PostMark.
  double think_seconds = 0.3e-3;
  /// A write is answered only when its transaction is in the server's journal, as in 1.6, which knows nothing
  /// else (from 1.8 on obdfilter.*.sync_journal); without, as soon as its data is on disk.
  bool sync_journal = false;
};

/// Sizes of messages without their data, in bytes, of the order of Lustre's encoded requests.
struct MessageSizes {
  std::int64_t request = 320;
  std::int64_t ready = 120;
  std::int64_t answer = 220;
  std::int64_t largest_eager = 16 << 10;  ///< PVFS sends smaller writes along with the request.
};

/// Parameters of PVFS 2.8: its configuration, and how its clients and servers behave.
struct PvfsSpec {
  /// A header of 24 bytes each, then operation, credentials, handle and a name, or a status and attributes.
  /// Fitted within that: what the servers of directories receive and send for look-ups then stands out by as
  /// much as a network hog in 6/12 (F §11).
  MessageSizes sizes{.request = 250, .answer = 230};
  /// The stripe of its default distribution (simple-stripe).
  std::int64_t stripe = 64 << 10;
  /// What a client's copies, up-calls and daemon take per byte, bytes/s, one record after the other and never
  /// while data is on its way. Fitted: with them ten clients read 27 GB and write 17 GB each in 600 s, which
  /// is how F §8.1 chose its file sizes.
  double read_rate = 120e6;
  double write_rate = 50e6;
  /// Of the path look-ups, those that ask the server of "/" and those that ask the server of the client's
  /// directory; the others are answered by the client's name cache. Fitted to what training on metadata masks
  /// in F (§11, §12): in 10/10 some hogs at one server, in 6/12 network throughput at all.
  double root_lookups = 0.16;
  double directory_lookups = 1;
  /// The clients' directories lie on servers that follow each other, beginning at one drawn for the run: one
  /// client made them all in a row, and PVFS takes the next server for each new directory. Else each client
  /// makes its own and draws its server.
  bool directories_in_turn = true;
  /// A file smaller than a stripe lies where its metafile does, and nowhere else (FileStuffing, on by default
  /// since 2.8): its size and its removal concern that one server. Else its data is on another one, and sizes
  /// and removals concern all.
  bool file_stuffing = true;
  /// The application and the kernel, per transaction of PostMark.
  double think_seconds = 0.4e-3;
  /// Updates of metadata that share a sync of the database (CoalescingHighWatermark).
  std::uint32_t most_coalesced = 8;
  /// Pages of the databases that making or removing a file changes on the server of its attributes: they, its
  /// distribution, its data handles, each in a separate tree. Its entry in a directory changes one. Fitted:
  /// with fewer the entries of the one client that a sick server slows most are missing visibly from what it
  /// writes, and F finds no packet loss in postmark.
  std::uint32_t file_pages = 6;
  /// The servers' files are written and read through Linux's cache (the default method of PVFS's storage)
  /// instead of directly (TroveMethod directio, as in F §8).
  bool buffered = false;
  BufferCacheSpec cache;
  /// Memory of the first server alone; 0: as the others'.
  std::int64_t first_memory = 0;
};

enum class FileSystem : std::uint8_t { kPvfs, kLustre };
/// F's five; then ours: readers, writers and small files side by side, and nothing at all.
enum class Workload : std::uint8_t {
  kDdWrite,
  kDdRead,
  kIozoneWrite,
  kIozoneRead,
  kPostmark,
  kMixed,
  kIdle,
};
inline constexpr std::size_t kPaperWorkloads = 5;
inline constexpr std::size_t kWorkloads = 7;

/// The names of F: pvfs, lustre; ddw, ddr, iozonew, iozoner, postmark; and mixed, idle.
[[nodiscard]] std::string_view to_name(FileSystem file_system);
[[nodiscard]] std::string_view to_name(Workload workload);
[[nodiscard]] std::optional<FileSystem> file_system_of(std::string_view name);
[[nodiscard]] std::optional<Workload> workload_of(std::string_view name);

/// How F's experiments are run, as far as it affects the counters.
struct ExperimentSpec {
  /// A script logs in to the clients one after the other; the time of each log-in.
  double login_seconds = 0.8;
  /// Between IOzone's passes: fsync has returned, the file is closed and opened.
  double pass_pause_seconds = 1.0;
  /// Requests of 1 MB that a disk-hog keeps queued: half of the block layer's 128 of 512 KB (nr_requests).
  std::uint32_t hog_requests = 32;
  /// Of dd's and IOzone's files, at least a record; 0: F's. Small ones are soon written again.
  std::int64_t file_bytes = 0;
};

/// The machines. Two runs with an equal ClusterSpec are on the same cluster. cluster_parameters() names its
/// numbers.
struct ClusterSpec {
  FileSystem file_system = FileSystem::kPvfs;
  std::size_t clients = 10;  ///< F writes clusters as clients/servers: 6/12 has 12 servers.
  std::size_t servers = 10;
  std::uint64_t hardware_seed = 1;

  DiskGeometry disk;
  ElevatorOptions elevator;
  NetworkSpec network;
  TcpOptions tcp;
  PvfsSpec pvfs;
  LustreSpec lustre;
  ExperimentSpec experiment;
  /// Relative spread of the disks' transfer rates: the same model, but other media and zones. Large enough
  /// that the slowest saturates first and stays saturated (T §6.1.1), which masks busy disks in F. Fitted.
  double disk_spread = 0.09;
  /// A further spread that is drawn for every run: where its files happen to lie.
  double layout_spread = 0.01;
  /// Relative spread of the rates at which clients copy data.
  double client_spread = 0.03;
  /// Where the unused partition is that the disk faults read (F §9), as a fraction of the disk. F does not
  /// say. Fitted: the nearer to the files, the shorter the seeks that a fault costs.
  double spare_partition = 0.3;
};

/// The most servers, and the most clients, of a simulated cluster.
inline constexpr std::size_t kMostHosts = 250;

/// F's machines with this file system on them.
[[nodiscard]] inline ClusterSpec cluster_of(FileSystem file_system) {
  ClusterSpec spec;
  spec.file_system = file_system;
  return spec;
}

/// One run on a cluster.
struct RunSpec {
  Workload workload = Workload::kDdWrite;
  FaultKind fault = FaultKind::kNone;
  std::optional<Strength> strength{};  ///< Nothing: the usual one of that fault.
  std::size_t faulty_server = 0;
  std::uint64_t seed = 1;
  WallTime start = from_unix_ns(1'266'926'400'000'000'000);  ///< 2010-02-23, the day of F's talk.
  /// Recorded before the workload starts: F §8 has everything idle for 15 s.
  Duration lead = std::chrono::seconds(15);
  Duration duration =
      std::chrono::seconds(600);  ///< Of the workload; the fault's times are from its start, too.
  Duration fault_from = std::chrono::seconds(120);
  Duration fault_to = std::chrono::seconds(420);
};

/// Servers by number that a fault of a switch strikes: the last third, when that is two or more, as on the
/// bench; else half of them.
[[nodiscard]] std::vector<std::size_t> second_switch(const ClusterSpec& cluster);

/// The client by number that a fault of a client strikes.
[[nodiscard]] inline std::size_t faulty_client(const ClusterSpec& cluster, const RunSpec& run) {
  return run.faulty_server % cluster.clients;
}

/// How hard the fault of a run strikes.
[[nodiscard]] inline Strength strength_of(const RunSpec& run) {
  return run.strength.value_or(about(run.fault).usual);
}

/// When run number `place` of several begins. Runs are a little more than an hour apart, so that no window
/// sees two of them; a prime number of seconds, so that windows, which begin at multiples of their shift,
/// meet faults at all offsets.
[[nodiscard]] WallTime start_of_run(std::size_t place);

/// The physics of a simulated cluster by name: what `--set` of `laggard-lab simulate` and `campaign` changes,
/// so that calibrating needs no new build.
[[nodiscard]] std::span<const NamedNumber<ClusterSpec>> cluster_parameters();

/// Sets one parameter from the text `NAME=VALUE`.
[[nodiscard]] Status set_cluster_parameter(ClusterSpec& cluster, std::string_view text);

/// All parameters, a line each: name, present value, meaning.
[[nodiscard]] std::string describe_cluster_parameters(const ClusterSpec& cluster);

}  // namespace laggard::lab
