#pragma once

#include <string>

#include "topology/sketch.h"

namespace laggard::topology {

/// The [[luns]] tables of a sketch: LUNs of one array, set and set of servers together, whatever the order of
/// the servers, as long as the orders repeat after a few LUNs.
[[nodiscard]] std::string write_luns(const SystemSketch& sketch);

}  // namespace laggard::topology
