#pragma once

#include <vector>

#include "base/error.h"
#include "model/series_source.h"
#include "model/topology.h"
#include "topology/groups.h"

namespace laggard::topology {

/// The inventory of an imagined recording in which everything that the system file names is there and busy,
/// to show the peer groups that follow from the file alone. It has no sockets.
[[nodiscard]] Inventory as_if_recorded(const SystemModel& model);

/// Where a system file and a recording disagree, each with its line of the file and in that order: hosts and
/// devices that were not recorded, hosts that only the recording has, and storage devices under load that the
/// file does not list on a server whose storage it lists.
[[nodiscard]] std::vector<Error> differences(const SystemModel& model, const Inventory& inventory,
                                             const GroupingOptions& options = {});

}  // namespace laggard::topology
