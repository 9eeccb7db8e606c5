#include "explain/controller_queue.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace laggard::explain {

namespace {

/// The one that owns all LUNs that something was found about; null when there are several, or none is known.
const Part* owner_of_all(const Hypothesis& hypothesis, const Grouping& grouping) {
  const Part* owner = nullptr;
  for (const Finding* finding : hypothesis.findings) {
    if (!finding->is_of_component()) return nullptr;
    const Part* own = grouping.owner_of(grouping.components[finding->component]);
    if (own == nullptr || (owner != nullptr && own != owner)) return nullptr;
    owner = own;
  }
  return owner;
}

std::size_t luns_owned_by(const Part& owner, const Grouping& grouping) {
  std::set<const Part*> luns;
  for (const Component& component : grouping.components) {
    if (grouping.owner_of(component) == &owner) luns.insert(grouping.part_of(component, PartKind::kLun));
  }
  return luns.size();
}

/// The controller of which more than half of the LUNs are slow, and nothing else; null when it is not so.
const Part* queue_of(const Hypothesis& hypothesis, const Grouping& grouping) {
  if (!is_of_many_luns(hypothesis)) return nullptr;
  if (!std::ranges::all_of(hypothesis.findings, &Finding::is_slow)) return nullptr;
  const Part* owner = owner_of_all(hypothesis, grouping);
  if (owner == nullptr) return nullptr;
  std::set<const Part*> luns;
  for (const Finding* finding : hypothesis.findings) {
    luns.insert(grouping.part_of(grouping.components[finding->component], PartKind::kLun));
  }
  return 2 * luns.size() > luns_owned_by(*owner, grouping) ? owner : nullptr;
}

bool lies_within(const Hypothesis& inner, const Hypothesis& outer, const IncidentOptions& options) {
  return inner.first + options.slack() >= outer.first &&
         seen_until(inner) <= seen_until(outer) + options.slack();
}

}  // namespace

void explain_by_queues(const Grouping& grouping, std::span<const Hypothesis> hypotheses,
                       const IncidentOptions& options, std::vector<Incident>& incidents) {
  for (std::size_t many = 0; many < hypotheses.size(); ++many) {
    const Part* owner = queue_of(hypotheses[many], grouping);
    if (owner == nullptr) continue;
    for (std::size_t one = 0; one < hypotheses.size(); ++one) {
      const bool is_sure =
          incidents[one].state == IncidentState::kConfirmed && !is_accounted_for(incidents[one]);
      if (is_sure && is_of_one_lun(hypotheses[one]) &&
          lies_within(hypotheses[many], hypotheses[one], options) &&
          owner_of_all(hypotheses[one], grouping) == owner) {
        incidents[many].status = IncidentStatus::kExplained;
        break;
      }
    }
  }
}

}  // namespace laggard::explain
