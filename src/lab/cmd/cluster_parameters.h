#pragma once

#include <string>
#include <vector>

#include "cmd/program.h"
#include "cmd/shared_options.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// Options of `laggard-lab simulate` and `campaign` that change the physics of the simulated cluster.
struct ClusterParameters {
  std::vector<std::string> assignments;  ///< NAME=VALUE, for set_cluster_parameter.
};

inline void add_cluster_parameters(CLI::App& command, ClusterParameters& options) {
  cmd::add_named_number_options(command,
                                {"Physics of the cluster", "Any constant of it, as switch.buffer=262144",
                                 [] { return describe_cluster_parameters({}); }},
                                options.assignments);
}

[[nodiscard]] inline Status apply(const ClusterParameters& options, ClusterSpec& cluster) {
  for (const std::string& assignment : options.assignments) {
    if (Status set = set_cluster_parameter(cluster, assignment); !set) return set;
  }
  return {};
}

}  // namespace laggard::lab
