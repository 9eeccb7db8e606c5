#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "lab/cluster/rpc.h"
#include "lab/cluster/scenario.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// The client that a program runs on, and its surroundings.
struct ProgramPlace {
  EventQueue& queue;
  RpcEngine& engine;
  std::uint32_t client = 0;
  std::uint32_t servers = 0;
  const ClusterSpec& cluster;
  Random random;
  double copy_speed = 1;  ///< Relative to the nominal rate of copying data: clients are unequal.
};

/// An application that uses one mount of the file system. The run's `Workload` decides which; all clients run
/// the same (F §8.1).
class Program : public EventHandler {
 public:
  explicit Program(const ProgramPlace& place) : place_(place) {}
  virtual void begin() = 0;
  /// It does nothing more once it has done what it is about.
  void stop() { stopped_ = true; }

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
  /// Schedules an event after `seconds`, give or take a tenth.
  void wake_in(double seconds, std::uint32_t kind, std::uint64_t about = 0) {
    if (stopped_) return;
    place_.queue.schedule_in(from_seconds(seconds * place_.random.uniform(0.9, 1.1)), {this, kind, about});
  }

  /// A script starts the clients one after the other.
  [[nodiscard]] double start_delay() {
    return place_.cluster.experiment.login_seconds * (place_.client + place_.random.uniform());
  }

  ProgramPlace place_;
  std::int64_t bytes_done_ = 0;
  std::uint64_t operations_done_ = 0;

 private:
  bool stopped_ = false;
};

/// dd and IOzone as F §8.1 configures them.
struct StreamSpec {
  bool write = false;
  std::int64_t record_bytes = 0;
  std::int64_t file_bytes = 0;
  /// IOzone: once through the file, fsync and a pause, and again over the same blocks.
  bool two_passes = false;
};

/// F §8.1's record and file sizes. Requires dd or IOzone.
[[nodiscard]] inline StreamSpec stream_spec(FileSystem file_system, Workload workload) {
  constexpr std::int64_t kMega = 1 << 20;
  constexpr std::int64_t kGiga = 1 << 30;
  const bool pvfs = file_system == FileSystem::kPvfs;
  switch (workload) {
    case Workload::kDdWrite:
      return {true, pvfs ? 40 * kMega : 10 * kMega, pvfs ? 17 * kGiga : 30 * kGiga, false};
    case Workload::kDdRead:
      return {false, pvfs ? 40 * kMega : 10 * kMega, pvfs ? 27 * kGiga : 30 * kGiga, false};
    case Workload::kIozoneWrite:
      return {true, pvfs ? 16 * kMega : 10 * kMega, pvfs ? 8 * kGiga : 9 * kGiga, true};
    case Workload::kIozoneRead:
      return {false, pvfs ? 16 * kMega : 10 * kMega, pvfs ? 8 * kGiga : 16 * kGiga, true};
    case Workload::kPostmark:
    case Workload::kMixed:
    case Workload::kIdle:
      break;
  }
  LAGGARD_CHECK(workload < Workload::kPostmark);
  return {};
}

/// What one client does in a run: of `mixed`, every fourth one PostMark, the others read and write in turn.
[[nodiscard]] inline Workload workload_of_client(Workload run, std::size_t client) {
  if (run != Workload::kMixed) return run;
  if (client % 4 == 3) return Workload::kPostmark;
  return client % 2 == 0 ? Workload::kDdRead : Workload::kDdWrite;
}

/// PostMark's defaults: 500 files of 500 to 10,000 bytes; each transaction reads or appends to one and
/// creates or deletes one, with equal chances.
struct PostmarkSpec {
  std::uint32_t files = 500;
  std::int64_t smallest = 500;
  std::int64_t largest = 9770;
};

/// Memory bandwidth that an application and a client daemon leave for one copy of the data, bytes/s; Opteron
/// 1220 (DDR2-667), measured copies of that generation are 0.8 to 1.2 GB/s.
inline constexpr double kCopyRate = 800e6;

}  // namespace laggard::lab
