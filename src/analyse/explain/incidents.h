#pragma once

#include <span>
#include <vector>

#include "analyse/explain/draft.h"
#include "analyse/explain/rules.h"
#include "model/incident.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// Gathers spells into incidents: one per problem, with one blame and one cause.
///
/// draft.h says which spells belong together and what is to blame. The cause comes from the first rule that
/// holds for all of the incident's evidence.
///
/// Secondary manifestations: a problem shows on its neighbours too (F §12; a network hog's victim waits, and
/// so do others). An incident that is concurrent with a much stronger one (score below a quarter of it and
/// below 2) is *explained* by it, unless it has its own retransmissions, which no neighbour causes.
[[nodiscard]] std::vector<Incident> make_incidents(const Grouping& grouping,
                                                   std::span<const GroupSpells> groups,
                                                   std::span<const Rule> rules,
                                                   const IncidentOptions& options);

}  // namespace laggard::analyse
