#pragma once

#include <span>
#include <vector>

#include "explain/hypothesis.h"
#include "explain/rules.h"
#include "model/finding.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

/// Gathers findings into incidents: one per problem, with one blame and one cause.
///
/// hypothesis.h says which findings belong together and what is to blame. The cause comes from the first rule
/// that holds for all of the incident's evidence.
///
/// Secondary manifestations: a problem shows on its neighbours too (F §12; a network hog's victim waits, and
/// so do others). An incident that is concurrent with a much stronger one (score below a quarter of it and
/// below 2) is *explained* by it, unless it has its own retransmissions, which no neighbour causes.
[[nodiscard]] std::vector<Incident> make_incidents(const Grouping& grouping,
                                                   std::span<const Finding> findings,
                                                   std::span<const Rule> rules,
                                                   const IncidentOptions& options);

}  // namespace laggard::explain
