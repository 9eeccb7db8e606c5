#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/incident.h"
#include "report/layout.h"
#include "report/wording.h"

namespace laggard::report {

/// What one test found of one component in one metric, over all its spells.
struct Finding {
  Evidence evidence;  ///< Of the spell with the largest score; its windows are those of all spells.
  std::size_t spells = 0;
};

/// An incident's evidence as people read it, in the order in which each finding was first met: a disk that
/// limps for weeks has the same one dozens of times. Of no evidence, none.
[[nodiscard]] std::vector<Finding> findings_of(std::span<const Evidence> evidence);

/// What an incident is printed in: red when somebody should act, dim when it is accounted for.
[[nodiscard]] Ink ink_of(const Incident& incident);

/// The incidents, each with its evidence. On thousands of components dozens are suspected that never come to
/// more: beyond a few, what is not confirmed is a line of a table, and long lists end with how many more.
void put_incidents(Page& page, const std::vector<Incident>& incidents, const Clockface& clock);

}  // namespace laggard::report
