#pragma once

#include <vector>

#include "model/incident.h"
#include "report/layout.h"
#include "report/quantity.h"

namespace laggard::report {

/// The colour of an incident: red when somebody should act, dim when it is accounted for.
[[nodiscard]] Ink ink_of(const Incident& incident);

/// Writes the incidents, each with its evidence. Among thousands of components dozens are suspected that
/// never come to more, so beyond the first few an incident that is not confirmed is one line of a table. Long
/// lists end with how many items they leave out.
void put_incidents(Page& page, const std::vector<Incident>& incidents, const Clockface& clock);

}  // namespace laggard::report
