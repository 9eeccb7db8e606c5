#pragma once

#include <string>

#include "base/error.h"
#include "model/series_source.h"
#include "topology/groups.h"

namespace laggard::topology {

/// Writes the system file that says what make_groups assumes of a recording without one: servers with the
/// devices in use, clients, addresses; with comments that say why, and what only an operator can know.
///
/// make_groups with this file gives the same groups of the same components as without. Names that node sets
/// cannot hold (brackets, commas, braces, blanks) are left out and named in a comment. Fails when nothing was
/// under load, because then there is nobody to call a server.
[[nodiscard]] Result<std::string> discover_system(const Inventory& inventory,
                                                  const GroupingOptions& options = {});

}  // namespace laggard::topology
