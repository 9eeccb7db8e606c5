#pragma once

#include <vector>

#include "base/error.h"
#include "model/series_source.h"
#include "model/topology.h"
#include "topology/groups.h"

namespace laggard::topology {

/// A recording in which everything that the system names is there and busy, to see the peer groups that
/// follow from the file alone. Sockets are not in it.
[[nodiscard]] Inventory as_if_recorded(const SystemModel& model);

/// Where a system file and a recording disagree, each with the line of the file, in its order: hosts and
/// devices that were not recorded, hosts that only the recording has, storage devices under load on a server
/// whose storage the file lists without them.
[[nodiscard]] std::vector<Error> differences(const SystemModel& model, const Inventory& inventory,
                                             const GroupingOptions& options = {});

}  // namespace laggard::topology
