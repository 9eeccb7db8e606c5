#pragma once

#include <memory>

#include "cmd/ranks.h"

namespace laggard::cmd {

/// The ranks of MPI's world. kUnavailable in a build without MPI, which mpirun cannot make several ranks of.
[[nodiscard]] Result<std::unique_ptr<Ranks>> join_mpi();

}  // namespace laggard::cmd
