#pragma once

#include <vector>

#include "explain/hypothesis.h"
#include "model/grouping.h"

namespace laggard::explain {

/// LUNs that are slower because another one of their array is: an array that repairs a LUN slows its
/// neighbours (T §6.3), less than the LUN itself.
///
/// *Singled out*: a drawer, controller or array is blamed for LUNs that are slow at the same time. When one
/// of them, confirmed by itself, waits three times as long beyond its peers as the others do in the middle,
/// it is blamed instead. The errors of a drawer make its LUNs wait alike.
///
/// *Together*: while a LUN is slow, at least two others of its array become less slow within two windows of
/// each other, without more work, be it for themselves or for a part that is blamed for several. They go with
/// that LUN's hypothesis; of several such LUNs with the one whose beginning and end are nearest to theirs,
/// and of a LUN with work of its own none. Less slow is whose work waited less in excess of its peers' over
/// all: scores stop telling LUNs apart that stand out far, those of retrospective findings above all.
///
/// *Dwarfed*: where a LUN has such companions, others of its array that begin while it is slow, wait at most
/// half as long again as their peers, and in excess of them a third as long as it, go with it, too.
[[nodiscard]] std::vector<Hypothesis> join_companions(std::vector<Hypothesis> hypotheses,
                                                      const Grouping& grouping,
                                                      const IncidentOptions& options);

}  // namespace laggard::explain
