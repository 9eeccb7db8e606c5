#pragma once

// The physics of the simulated clusters as options of `laggard-lab simulate` and `laggard-lab campaign`,
// alike in both.

#include <string>
#include <vector>

#include "cmd/program.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

struct PhysicsOptions {
  std::vector<std::string> parameters;  ///< NAME=VALUE, for set_cluster_constant.
};

void add_physics_options(CLI::App& command, PhysicsOptions& options);

[[nodiscard]] Status apply_physics(const PhysicsOptions& options, ClusterSpec& cluster);

}  // namespace laggard::lab
