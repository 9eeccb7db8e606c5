#include "lab/cmd/physics_options.h"

#include "cmd/named_number_options.h"
#include "lab/cluster/constants_of_cluster.h"

namespace laggard::lab {

void add_physics_options(CLI::App& command, PhysicsOptions& options) {
  cmd::add_named_number_options(command,
                                {"Physics of the cluster", "Any constant of it, as switch.buffer=262144",
                                 [] { return describe_cluster_constants({}); }},
                                options.parameters);
}

Status apply_physics(const PhysicsOptions& options, ClusterSpec& cluster) {
  for (const std::string& constant : options.parameters) {
    if (Status set = set_cluster_constant(cluster, constant); !set) return set;
  }
  return {};
}

}  // namespace laggard::lab
