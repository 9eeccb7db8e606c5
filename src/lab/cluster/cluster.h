#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/cluster/fault.h"
#include "lab/cluster/program.h"
#include "lab/cluster/recorder.h"
#include "lab/cluster/rpc.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

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
  [[nodiscard]] const FileServer& server(std::size_t number) const { return *servers_[number]; }
  [[nodiscard]] std::uint64_t events() const { return queue_.raised(); }

 private:
  void add_servers(const Random& hardware, const Random& random);
  void add_programs(const Random& hardware, const Random& random);
  [[nodiscard]] ProgramPlace place_of(std::size_t client, const Random& hardware, const Random& random);
  [[nodiscard]] std::unique_ptr<Program> make_program(const ProgramPlace& place, Workload workload,
                                                      std::uint32_t root) const;

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
