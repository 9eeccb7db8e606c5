#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyse/explain/rules.h"
#include "analyse/judge/group_judge.h"
#include "analyse/judge/spells.h"
#include "model/incident.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// The spells of one group, and what is needed to read them.
struct GroupSpells {
  std::vector<GroupJudge::Column> columns;
  std::vector<const Spell*> spells;
  std::vector<std::uint8_t> open;  ///< Per spell: still going on at the end of the recording.
};

struct IncidentOptions {
  std::size_t size = 60;   ///< Of a window, in cells.
  std::size_t shift = 30;  ///< Of two windows, in cells.
  std::size_t k = 3;
  Constants constants;
  bool paper = false;  ///< No secondary manifestations, no merging beyond one server: F's indictment.
};

/// Gathers spells into incidents: one per problem, with one blame and one cause.
///
/// Spells that overlap (up to 2k-1 windows apart) belong together when one part of the system explains them
/// (find_blame). The same part's trouble that comes back within four times as long is one incident still. The
/// cause comes from the first rule that holds for all of the incident's evidence.
///
/// Secondary manifestations: a problem shows on its neighbours too (F §12; a network hog's victim waits, and
/// so do others). An incident that is concurrent with a much stronger one (score below a quarter of it and
/// below 2) is *explained* by it, unless it has its own retransmissions, which no neighbour causes.
///
/// Congestion windows alone make no incident where retransmissions are recorded: they wander on healthy
/// servers.
[[nodiscard]] std::vector<Incident> make_incidents(const Grouping& grouping,
                                                   std::span<const GroupSpells> groups,
                                                   std::span<const Rule> rules,
                                                   const IncidentOptions& options);

}  // namespace laggard::analyse
