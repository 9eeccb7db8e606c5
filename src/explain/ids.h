#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "explain/hypothesis.h"
#include "model/finding.h"
#include "model/grouping.h"
#include "model/incident.h"

/// What incidents are called. An incident gets its id when it opens, and keeps it while its evidence, blame,
/// cause and start are refined, so that a note, a repair or an alert stays with its subject.
namespace laggard::explain {

/// `s2-sdb-slower-20261120T192344Z`: the component, the symptom and the time at which a finding opened, the
/// latter as the last multiple of `shift` since the epoch that is not after it. Two windows never have the
/// same one. Characters of a name that would have to be quoted in a shell or a URL become `-`.
[[nodiscard]] std::string incident_id(std::string_view component, const Opening& opened, Duration shift);

/// The id of every hypothesis: that of its finding that opened first; of several in one window that of the
/// first component by name, then of the first symptom. Nothing that happens later can come before it, so a
/// longer stretch of the same recording gives the same id, unless the hypothesis turns out to be a part of an
/// older one.
///
/// When one component opens two incidents with the same symptom in one window, the second is `...-2`.
/// \param shift  of two windows.
[[nodiscard]] std::vector<std::string> incident_ids(std::span<const Hypothesis> hypotheses,
                                                    const Grouping& grouping, Duration shift);

/// Gives incidents the ids under which they are known already. Own ids are what `incident_ids` made.
///
/// A known incident comes to the incident that has its id as its own. If there is none it comes to one that
/// overlaps it in time (they share more than a moment) and in place (they share a component, or the same part
/// is blamed): of several to the one with which it shares most components, then the longest time, then to the
/// one that began first, then by own id. If there is none of these either, it is not found.
///
/// An incident to which one known incident came takes its id. Of several it takes the oldest's, the one that
/// began first (then by id). All other names that it had, its own among them, go to `also_known_as`.
///
/// So of two known incidents that turn out to be one the older id survives; of one that turns out to be two
/// the one that opened it keeps the id; and trouble of the same part at another time is another incident.
/// \param known  ids are unique.
void keep_known_ids(std::vector<Incident>& incidents, std::span<const KnownIncident> known);

/// What versions before 2 of the ledger called the incident: blame, cause and start. Notes in old ledgers
/// are about such ids.
[[nodiscard]] std::string former_id(const Incident& incident);

}  // namespace laggard::explain
