#pragma once

#include <cstdint>
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
/// below 2) is *explained* by it, unless it has its own retransmissions, which no neighbour causes, or is
/// confirmed and the other is not.
///
/// A controller's queue that one of its LUNs fills is explained by that LUN (controller_queue.h).
///
/// IncidentOptions::halting is F §10.2: "If we observe peer-divergence at any step of the checklist, we halt
/// at that step and arrive at the root cause and faulty server". So a server whose rule is a later one is not
/// indicted beside one that comes to an earlier rule at the same time, even if it is the faulty one: in F's
/// Tables 4 and 5 ITP and IFP of most rows add up to 100 %, as they do when each experiment indicts through
/// one step. Rules with the same cause are one step.
[[nodiscard]] std::vector<Incident> make_incidents(const Grouping& grouping,
                                                   std::span<const Finding> findings,
                                                   std::span<const Rule> rules,
                                                   const IncidentOptions& options);

/// Up to when there are findings, on the clock of Finding::first.
struct SettledBefore {
  std::int64_t now = 0;        ///< Start of the newest window.
  std::int64_t look_back = 0;  ///< How long before its own opening a finding that is yet to come may begin.
};

/// Which findings are settled: no finding that is yet to come can be joined to the incidents that they are
/// part of, and without them the incidents of all the others stay as they are. Whoever follows a system drops
/// them, so that what is kept is bounded by what goes on. \return per finding, 1: settled.
///
/// A finding is over when it is not open and so far back that neither recurrence nor `look_back` reaches it.
/// Findings hang together that share a part and follow each other within a recurrence: the incidents of
/// those that hang together depend on no others, except that a weak one may be explained by a strong one at
/// the same time (make_incidents). So those that hang together are settled when all of them are over, and so
/// are all that they may explain. What a settled one was called when it left stands, even if something that
/// still goes on later becomes strong enough to have explained it.
[[nodiscard]] std::vector<std::uint8_t> settled(const Grouping& grouping, std::span<const Finding> findings,
                                                const IncidentOptions& options, const SettledBefore& before);

}  // namespace laggard::explain
