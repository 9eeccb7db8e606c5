#pragma once

#include <string>
#include <vector>

#include "model/series_source.h"

namespace laggard::cmd {

/// Sentences about what was recorded under names that no metric is made of: a sick disk may show in nothing
/// else, so whoever reads a verdict has to know. One per kind of device.
[[nodiscard]] std::vector<std::string> uncompared(const Inventory& inventory);

}  // namespace laggard::cmd
