#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/incident.h"

namespace laggard::report {

/// What one test found of one component in one metric, over all its spells.
struct Finding {
  Evidence evidence;  ///< Of the spell with the largest score; its windows are those of all spells.
  std::size_t spells = 0;
};

/// An incident's evidence as people read it, in the order in which each finding was first met: a disk that
/// limps for weeks has the same one dozens of times. Of no evidence, none.
[[nodiscard]] std::vector<Finding> findings_of(std::span<const Evidence> evidence);

}  // namespace laggard::report
