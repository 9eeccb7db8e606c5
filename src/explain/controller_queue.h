#pragma once

#include <span>
#include <vector>

#include "explain/hypothesis.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

/// Requests of all LUNs wait in the queue of the controller that owns them, whichever server they come from.
/// One LUN that is slow, or asked for much, fills it at times, and then all others of that controller wait
/// behind it, be it longer than that LUN's own do in the mean.
///
/// Calls *explained* what array, controller or drawer is blamed for when it is nothing but slowness of more
/// than half of the LUNs that one controller owns, within the time of a confirmed incident of one LUN of the
/// same controller (give or take 2k-1 windows). Where nobody knows who owns which LUN, nothing is changed.
/// \param incidents  of the hypotheses, in the same order.
void explain_by_queues(const Grouping& grouping, std::span<const Hypothesis> hypotheses,
                       const IncidentOptions& options, std::vector<Incident>& incidents);

}  // namespace laggard::explain
