#pragma once

#include <string>

#include "base/error.h"
#include "model/series_source.h"
#include "topology/groups.h"

namespace laggard::topology {

/// Writes the system file that states what make_groups assumes about a recording without one: servers with
/// the devices in use, clients and addresses. Comments say why, and what only an operator can know.
///
/// With this file make_groups gives the same groups of the same components as without. Names that node sets
/// cannot hold (brackets, commas, braces, blanks) are left out and listed in a comment. Fails when nothing
/// was under load, because then no host can be called a server.
[[nodiscard]] Result<std::string> discover_system(const Inventory& inventory,
                                                  const GroupingOptions& options = {});

}  // namespace laggard::topology
