#include "explain/controller_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace laggard::explain {

namespace {

constexpr std::int64_t kTimesAsLong = 4;
constexpr std::size_t kOneOf = 10;  ///< So many findings, one may be about something else.

using Owners = std::set<const Part*>;

/// The controllers that own the LUNs that something was found about; empty when one has none, something was
/// found about what is no LUN, or something is lost.
Owners owners_of(const Hypothesis& hypothesis, const Grouping& grouping) {
  Owners owners;
  for (const Finding* finding : hypothesis.findings) {
    if (!finding->is_of_component() || finding->is_lost()) return {};
    const Part* owner = grouping.owner_of(grouping.components[finding->component]);
    if (owner == nullptr) return {};
    owners.insert(owner);
  }
  return owners;
}

/// Of many LUNs one is asked for more at any time.
bool is_slowness(const Hypothesis& hypothesis) {
  const auto others =
      std::ranges::count_if(hypothesis.findings, [](const Finding* finding) { return !finding->is_slow(); });
  return kOneOf * static_cast<std::size_t>(others) <= hypothesis.findings.size();
}

std::int64_t length_of(const Hypothesis& hypothesis) { return seen_until(hypothesis) - hypothesis.first; }

bool outlasts(const Hypothesis& outer, const Hypothesis& inner, const IncidentOptions& options) {
  return outer.first <= inner.first + options.slack() &&
         seen_until(inner) <= seen_until(outer) + options.slack() &&
         kTimesAsLong * length_of(inner) <= length_of(outer);
}

}  // namespace

void explain_by_queues(const Grouping& grouping, std::span<const Hypothesis> hypotheses,
                       const IncidentOptions& options, std::vector<Incident>& incidents) {
  for (std::size_t many = 0; many < hypotheses.size(); ++many) {
    const Hypothesis& behind = hypotheses[many];
    if (!is_of_many_luns(behind) || !is_slowness(behind) || length_of(behind) > options.recurrence())
      continue;
    Owners left = owners_of(behind, grouping);
    if (left.empty()) continue;
    for (std::size_t other = 0; other < hypotheses.size(); ++other) {
      const bool is_sure =
          incidents[other].state == IncidentState::kConfirmed && !is_accounted_for(incidents[other]);
      if (other == many || !is_sure || !outlasts(hypotheses[other], behind, options)) continue;
      for (const Part* owner : owners_of(hypotheses[other], grouping)) left.erase(owner);
    }
    if (left.empty()) incidents[many].status = IncidentStatus::kExplained;
  }
}

}  // namespace laggard::explain
