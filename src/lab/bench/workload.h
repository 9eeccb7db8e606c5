#pragma once

#include <string>
#include <vector>

#include "lab/bench/site.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// Files that a client reads or writes, and streams that it runs at a time.
inline constexpr std::size_t kStreams = 3;
inline constexpr std::size_t kReadFileMegabytes = 192;
inline constexpr std::size_t kWriteFileMegabytes = 256;

/// The programs of one client, each of which runs until it is ended.
[[nodiscard]] std::vector<Command> workload_programs(const Layout& layout, Workload workload,
                                                     std::size_t client);

/// Writes the files that a reading workload reads, larger than the servers' caches. Best while the disks are
/// fast and the network is not limited.
[[nodiscard]] Status prepare_files(Site& site, Workload workload);

/// A workload that runs on all clients until `stop` or the end of this.
class RunningWorkload {
 public:
  [[nodiscard]] static Result<RunningWorkload> start(Site& site, Workload workload);
  RunningWorkload(RunningWorkload&&) = default;
  RunningWorkload& operator=(RunningWorkload&&) = delete;
  RunningWorkload(const RunningWorkload&) = delete;
  RunningWorkload& operator=(const RunningWorkload&) = delete;
  ~RunningWorkload() { stop(); }
  void stop();
  /// An error when a program has ended that should run for ever: a run without load proves nothing.
  [[nodiscard]] Status check();

 private:
  explicit RunningWorkload(Site& site) : site_(&site) {}
  Site* site_;
  std::vector<int> processes_;
};

}  // namespace laggard::lab::bench
