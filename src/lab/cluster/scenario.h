#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "lab/cluster/lustre_spec.h"
#include "lab/cluster/pvfs_spec.h"
#include "lab/sim/disk_geometry.h"
#include "lab/sim/elevator.h"
#include "lab/sim/network.h"
#include "lab/sim/tcp_flow.h"

namespace laggard::lab {

enum class FileSystem : std::uint8_t { kPvfs, kLustre };
enum class Workload : std::uint8_t { kDdWrite, kDdRead, kIozoneWrite, kIozoneRead, kPostmark };
enum class FaultKind : std::uint8_t {
  kNone,
  kDiskHog,
  kDiskBusy,
  kWriteNetworkHog,
  kReadNetworkHog,
  kReceiveLoss,
  kSendLoss,
};
inline constexpr std::size_t kWorkloads = 5;
inline constexpr std::size_t kFaultKinds = 7;

/// The names of F: pvfs, lustre; ddw, ddr, iozonew, iozoner, postmark; none, disk-hog, disk-busy,
/// write-network-hog, read-network-hog, receive-pktloss, send-pktloss.
[[nodiscard]] std::string_view to_name(FileSystem file_system);
[[nodiscard]] std::string_view to_name(Workload workload);
[[nodiscard]] std::string_view to_name(FaultKind fault);
[[nodiscard]] std::optional<FileSystem> file_system_of(std::string_view name);
[[nodiscard]] std::optional<Workload> workload_of(std::string_view name);
[[nodiscard]] std::optional<FaultKind> fault_of(std::string_view name);

/// How F's experiments are run, as far as it shows.
struct ExperimentSpec {
  /// A script starts the clients one after the other: of each log-in.
  double login_seconds = 0.8;
  /// Between IOzone's passes: fsync has returned, the file is closed and opened.
  double pass_pause_seconds = 1.0;
  /// Requests of 1 MB that a disk-hog keeps queued: half of the block layer's 128 of 512 KB (nr_requests).
  std::uint32_t hog_requests = 32;
};

/// The machines. Two runs with the same of these and the same `hardware_seed` are on the same cluster.
/// constants_of_cluster.h names its numbers.
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
  /// Relative spread of the disks' transfer rates: same make and model, other media and zones.
  /// So much that the slowest saturates first and stays so (T §6.1.1).
  double disk_spread = 0.09;
  /// The same again in every run: where files came to lie.
  double layout_spread = 0.01;
  /// Relative spread of the rates at which clients copy data.
  double client_spread = 0.03;
  /// Where the unused partition is that the disk faults read (F §9), as a fraction of the disk.
  double spare_partition = 0.3;
};

/// Servers, and clients, of a cluster: more are not simulated.
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
  std::size_t faulty_server = 0;
  std::uint64_t seed = 1;
  WallTime start = from_unix_ns(1'266'926'400'000'000'000);  ///< 2010-02-23, the day of F's talk.
  /// Recorded before the workload starts: F §8 has everything idle for 15 s.
  Duration lead = std::chrono::seconds(15);
  Duration duration =
      std::chrono::seconds(600);  ///< Of the workload; the fault's times are from its start, too.
  Duration fault_from = std::chrono::seconds(120);
  Duration fault_to = std::chrono::seconds(420);
  double loss = 0.05;  ///< Of the packet-loss faults.
};

/// When run number `place` of several begins. Runs lie an hour and a bit apart, so that no window sees two of
/// them; a prime number of seconds, so that windows, which begin at multiples of their step, meet faults at
/// all offsets.
[[nodiscard]] WallTime start_of_run(std::size_t place);

}  // namespace laggard::lab
