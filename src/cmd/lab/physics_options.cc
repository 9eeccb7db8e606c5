#include "cmd/lab/physics_options.h"

#include <cstdio>

#include "lab/cluster/constants_of_cluster.h"

namespace laggard::cmd {

namespace {

void print_cluster_constants() {
  std::fputs(lab::describe_cluster_constants({}).c_str(), stdout);
  throw CLI::Success();
}

}  // namespace

void add_physics_options(CLI::App& command, PhysicsOptions& options) {
  const std::string group = "Physics of the cluster";
  command
      .add_option("--set", options.constants, "Any constant of it, as switch.buffer=262144; may be repeated")
      ->group(group)
      ->type_name("NAME=X")
      ->allow_extra_args(false);
  command
      .add_flag_callback("--constants", print_cluster_constants,
                         "Print what --set can change, with the values in force")
      ->group(group);
}

Status apply_physics(const PhysicsOptions& options, lab::ClusterSpec& cluster) {
  for (const std::string& constant : options.constants) {
    if (Status set = lab::set_cluster_constant(cluster, constant); !set) return set;
  }
  return {};
}

}  // namespace laggard::cmd
