#pragma once

#include <vector>

#include "model/incident.h"
#include "report/page.h"
#include "report/wording.h"

namespace laggard::report {

/// What an incident is printed in: red when somebody should act, dim when it is accounted for.
[[nodiscard]] Ink ink_of(const Incident& incident);

/// The incidents, each with its evidence. On thousands of components dozens are suspected that never come to
/// more: beyond a few, what is not confirmed is a line of a table, and long lists end with how many more.
void put_incidents(Page& page, const std::vector<Incident>& incidents, const Clockface& clock);

}  // namespace laggard::report
