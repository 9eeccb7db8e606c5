#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/cluster/program.h"
#include "lab/cluster/recorder.h"
#include "lab/cluster/rpc.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// Something that makes a server sick for a while (F §9).
class Fault {
 public:
  virtual ~Fault() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};

/// What a fault acts on.
struct FaultPlace {
  EventQueue& queue;
  Fabric& fabric;
  FileServer& server;
  std::size_t server_index = 0;
  std::int64_t spare_partition = 0;  ///< First byte of the unused partition.
  const RunSpec& run;
  const ClusterSpec& cluster;
  Random random;
};

/// The fault of a run; null for none.
///
/// Those of the catalogue that are simulated (MadeBy::kBoth):
///
/// disk-hog            dd reads the spare partition in blocks of 256 MB, bypassing the cache: half of the
/// block
///                     layer's 128 requests (nr_requests) are always its own.
/// disk-busy           sgm_dd reads it in SCSI commands of 1 MB, one after the other.
/// write-network-hog   a third party sends zeros to the server; read-network-hog: the server to it.
/// receive-pktloss     the server's firewall drops 5 % of what it receives.
/// send-pktloss        every client's drops 5 % of what it receives from the server.
/// link-rate, -in, -out, link-latency  the server's cable.
/// disk-slow, disk-stall, disk-rare-stall  its disk, which stands still for the first time 5 s after the
///                     beginning.
///
/// Of less than full strength, disk-hog and disk-busy read for a part of every ten seconds, and network hogs
/// send less.
[[nodiscard]] std::unique_ptr<Fault> make_fault(const FaultPlace& place);

/// One run: a cluster with its file system, a workload on every client, a fault, and the counters of all
/// hosts.
///
/// Random streams: disks' speeds and the server of "/" depend on the hardware seed alone; everything else
/// also on the run's seed, but not on the fault, so that runs that differ only in the fault are identical
/// until it begins.
class Cluster {
 public:
  /// Requires at least one client and server, and a faulty server that exists.
  Cluster(const ClusterSpec& cluster, const RunSpec& run);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Runs from beginning to end; call it once.
  void run();
  [[nodiscard]] Status write(TableSink& sink) const { return recorder_->write(sink, run_.start); }

  [[nodiscard]] const Program& program(std::size_t client) const { return *programs_[client]; }
  [[nodiscard]] std::uint64_t events() const { return queue_.raised(); }

 private:
  void add_servers(const Random& hardware, const Random& random);
  void add_programs(const Random& hardware, const Random& random);
  [[nodiscard]] std::unique_ptr<Program> make_program(const ProgramPlace& place, std::uint32_t root) const;

  ClusterSpec cluster_;
  RunSpec run_;
  EventQueue queue_;
  std::unique_ptr<Fabric> fabric_;
  std::vector<std::unique_ptr<FileServer>> servers_;
  std::unique_ptr<MetadataServer> metadata_server_;
  std::unique_ptr<RpcEngine> engine_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::unique_ptr<Fault> fault_;
  std::unique_ptr<Recorder> recorder_;
};

/// Simulates a run and gives its samples to a sink.
[[nodiscard]] Status simulate(const ClusterSpec& cluster, const RunSpec& run, TableSink& sink);

}  // namespace laggard::lab
