#pragma once

#include <span>
#include <vector>

#include "explain/hypothesis.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

/// Requests of all LUNs wait in the queue of the controller that owns them, whichever server they come from.
/// LUNs that are slow, or asked for much, fill it at times, and then the others of that controller wait
/// behind them, be it longer than theirs do in the mean.
///
/// Calls *explained* what an array, a controller or a drawer is blamed for when it is slowness, but for
/// one finding in ten, and all who own its LUNs own others that are in confirmed incidents at the time, of
/// which each lasts from before until after it (give or take 2k-1 windows) and four times as long. What lasts
/// longer than the time within which trouble recurs is no queue. Where nobody knows who owns which LUN,
/// nothing is changed.
/// \param incidents  of the hypotheses, in the same order.
void explain_by_queues(const Grouping& grouping, std::span<const Hypothesis> hypotheses,
                       const IncidentOptions& options, std::vector<Incident>& incidents);

}  // namespace laggard::explain
