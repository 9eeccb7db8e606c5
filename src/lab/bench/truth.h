#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/bench/layout.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// What was done to the servers, and when.
struct Truth {
  Workload workload = Workload::kDdWrite;
  FaultKind fault = FaultKind::kNone;
  std::size_t server = 0;  ///< From 1; without meaning where there is no fault.
  WallTime workload_start;
  WallTime workload_stop;
  std::optional<WallTime> fault_start;
  std::optional<WallTime> fault_stop;
  std::vector<std::string> loops;  ///< By server.
  /// Of all the machine's processors, 0 to 1, by everybody on it; nothing when /proc/stat did not tell.
  std::optional<double> cpu_busy;
  std::string kernel;
};

/// truth.json, the form that `laggard-lab score` reads.
[[nodiscard]] std::string truth_json(const Layout& layout, const Truth& truth);

/// system.toml: servers with their disks, clients, addresses.
[[nodiscard]] std::string system_toml(const Layout& layout, const std::vector<std::string>& loops);

}  // namespace laggard::lab::bench
