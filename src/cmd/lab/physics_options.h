#pragma once

// The physics of the simulated clusters as options of `lab simulate` and `lab campaign`, alike in both.

#include <string>
#include <vector>

#include "cmd/program.h"
#include "lab/cluster/scenario.h"

namespace laggard::cmd {

struct PhysicsOptions {
  std::vector<std::string> constants;  ///< NAME=VALUE, for lab::set_cluster_constant.
};

void add_physics_options(CLI::App& command, PhysicsOptions& options);

[[nodiscard]] Status apply_physics(const PhysicsOptions& options, lab::ClusterSpec& cluster);

}  // namespace laggard::cmd
