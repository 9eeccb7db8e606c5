#include "cmd/lab/physics_options.h"

#include "cmd/named_number_options.h"
#include "lab/cluster/constants_of_cluster.h"

namespace laggard::cmd {

void add_physics_options(CLI::App& command, PhysicsOptions& options) {
  add_named_number_options(command,
                           {"Physics of the cluster", "Any constant of it, as switch.buffer=262144",
                            [] { return lab::describe_cluster_constants({}); }},
                           options.constants);
}

Status apply_physics(const PhysicsOptions& options, lab::ClusterSpec& cluster) {
  for (const std::string& constant : options.constants) {
    if (Status set = lab::set_cluster_constant(cluster, constant); !set) return set;
  }
  return {};
}

}  // namespace laggard::cmd
