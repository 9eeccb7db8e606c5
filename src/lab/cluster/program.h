#pragma once

#include <cstdint>
#include <span>

#include "lab/cluster/rpc_engine.h"
#include "lab/cluster/scenario.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// Where a client's program runs.
struct ProgramPlace {
  EventQueue& queue;
  RpcEngine& engine;
  std::uint32_t client = 0;
  std::uint32_t servers = 0;
  const ClusterSpec& cluster;
  Random random;
  double copy_speed = 1;  ///< Unequal clients: against the nominal rate of copying data.
};

/// What an application does through one mount of the file system. `Workload` decides which of them runs; all
/// clients run the same (F §8.1).
class Program : public EventHandler {
 public:
  explicit Program(const ProgramPlace& place) : place_(place) {}
  virtual void begin() = 0;

  /// Data that the application has moved, for tests.
  [[nodiscard]] std::int64_t bytes_done() const { return bytes_done_; }
  /// Operations that it has finished: records or transactions.
  [[nodiscard]] std::uint64_t operations_done() const { return operations_done_; }

 protected:
  [[nodiscard]] Rpc rpc(std::uint32_t server, RpcKind kind) const {
    Rpc made;
    made.client = place_.client;
    made.server = server;
    made.kind = kind;
    return made;
  }
  /// After `seconds`, give or take a tenth.
  void wake_in(double seconds, std::uint32_t kind, std::uint64_t about = 0) {
    place_.queue.schedule_in(from_seconds(seconds * place_.random.uniform(0.9, 1.1)), {this, kind, about});
  }

  /// A script starts the clients one after the other.
  [[nodiscard]] double start_delay() {
    return place_.cluster.experiment.login_seconds * (place_.client + place_.random.uniform());
  }

  ProgramPlace place_;
  std::int64_t bytes_done_ = 0;
  std::uint64_t operations_done_ = 0;
};

/// dd and IOzone as F §8.1 configures them.
struct StreamSpec {
  bool write = false;
  std::int64_t record_bytes = 0;
  std::int64_t file_bytes = 0;
  /// IOzone: once through the file, fsync and a pause, and again over the same blocks.
  bool two_passes = false;
};

/// F §8.1's record and file sizes. Requires a workload that is not postmark.
[[nodiscard]] StreamSpec stream_spec(FileSystem file_system, Workload workload);

/// Memory bandwidth that an application and a client daemon leave for one copy of the data, bytes/s; Opteron
/// 1220 (DDR2-667), measured copies of that generation are 0.8 to 1.2 GB/s.
inline constexpr double kCopyRate = 800e6;

}  // namespace laggard::lab
