#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/bench/fault.h"
#include "lab/bench/throughput.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// What was done to the servers, when, and what it did.
struct Truth {
  Workload workload = Workload::kDdWrite;
  std::vector<FaultPlace> faults;
  WallTime workload_start;
  WallTime workload_stop;
  std::optional<WallTime> fault_start;
  std::optional<WallTime> fault_stop;
  std::vector<std::string> loops;  ///< By server.
  Paces paces;
  /// Load of all the machine's processors from everything on it, 0 to 1; nothing when /proc/stat is
  /// unreadable.
  std::optional<double> cpu_busy;
  std::string kernel;
};

/// truth.json, the form that `laggard-lab score` reads.
[[nodiscard]] std::string truth_json(const Layout& layout, const Truth& truth);

/// system.toml: servers with their disks, clients, addresses, switches.
[[nodiscard]] std::string system_toml(const Layout& layout, const std::vector<std::string>& loops);

}  // namespace laggard::lab::bench
