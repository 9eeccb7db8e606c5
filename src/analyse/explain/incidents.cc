#include "analyse/explain/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "analyse/explain/facts.h"
#include "analyse/judge/peers.h"

namespace laggard::analyse {

namespace {

/// Congestion windows are compared as log2(1 + segments), but shown as segments.
double in_unit(const MetricSpec& metric, double level) {
  return metric.role == Role::kCongestion ? std::exp2(level) - 1 : level;
}

Evidence to_evidence(const Sighting& sighting, const Grouping& grouping) {
  const Spell& spell = *sighting.spell;
  Evidence evidence;
  evidence.metric = spell.metric->name;
  evidence.component = grouping.components[sighting.component].name;
  evidence.detector = spell.detector;
  evidence.distance = spell.distance;
  evidence.threshold = spell.threshold;
  evidence.score = spell.score;
  evidence.unit = spell.metric->unit;
  evidence.windows = spell.windows;
  if (spell.score > 0) evidence.worst_window = spell.worst_window;
  for (std::size_t c = 0; c < sighting.group->columns.size(); ++c) {
    if (sighting.group->columns[c].metric != spell.metric) continue;
    const std::vector<double> means = spell.levels->means(c);
    const double own = means[spell.member];
    const double peers = MedianOfOthers(means).without(own);
    if (!std::isnan(own)) evidence.level = in_unit(*spell.metric, own);
    if (!std::isnan(peers)) evidence.peers = in_unit(*spell.metric, peers);
  }
  return evidence;
}

bool has_retransmissions(const Draft& draft) {
  return std::any_of(draft.sightings.begin(), draft.sightings.end(), [](const Sighting& sighting) {
    return sighting.spell->metric->role == Role::kRetransmission;
  });
}

void take_cause(Incident& incident, const Facts& facts, std::span<const Rule> rules, const Draft& draft) {
  if (const Rule* rule = first_match(rules, facts)) {
    incident.cause = rule->cause;
    incident.resource = rule->resource;
    incident.rule = rule->name;
    incident.why = explain(*rule, facts, incident.blame.name);
    return;
  }
  incident.cause = "unknown";
  incident.resource = to_name(draft.sightings.front().spell->metric->resource);
  incident.rule = "none";
  incident.why = fmt::format("{} differs from its peers, but no rule names a cause", incident.blame.name);
}

Incident to_incident(const Draft& draft, const Grouping& grouping, std::span<const Rule> rules,
                     const IncidentOptions& options) {
  Incident incident;
  incident.blame = draft.blamed.blame;
  incident.alternatives = draft.blamed.alternatives;
  incident.since = draft.since;
  incident.faulty_since = draft.faulty_since;
  incident.persistent_since = draft.persistent_since;
  incident.confirmed_since = draft.confirmed_since;
  if (!draft.open) incident.until = draft.until;
  incident.seen_until = draft.until;
  incident.status = draft.open ? IncidentStatus::kOpen : IncidentStatus::kClosed;
  if (draft.confirmed_since) incident.state = IncidentState::kConfirmed;
  bool trained = true;
  std::set<std::string> names;
  for (const Sighting& sighting : draft.sightings) {
    const Spell& spell = *sighting.spell;
    names.insert(grouping.components[sighting.component].name);
    incident.persistence = std::max(incident.persistence, static_cast<int>(spell.persistence));
    incident.severity = std::max(incident.severity, spell.severity);
    trained = trained && spell.trained;
    incident.evidence.push_back(to_evidence(sighting, grouping));
  }
  for (const Relief& relief : draft.relief) {
    Evidence& evidence = incident.evidence.emplace_back(to_evidence(relief.sighting, grouping));
    evidence.note = fmt::format("has load in place of {}", grouping.components[relief.instead_of].name);
  }
  incident.thresholds = trained ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  incident.components.assign(names.begin(), names.end());
  std::stable_sort(incident.evidence.begin(), incident.evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.score > b.score; });
  take_cause(incident, gather_facts(draft, grouping, options), rules, draft);
  incident.id = fmt::format("{}-{}-{}", incident.blame.name, incident.cause, to_file_stamp(incident.since));
  return incident;
}

bool concurrent(const Draft& suspect, const Draft& primary, const IncidentOptions& options) {
  const auto tail = static_cast<std::int64_t>(options.size + options.shift * (2 * options.k - 1));
  const auto head = static_cast<std::int64_t>(options.shift + options.size);
  return suspect.first <= primary.last + tail && suspect.last >= primary.first - head;
}

bool explained_by(const Draft& suspect, const Draft& primary, const IncidentOptions& options) {
  return concurrent(suspect, primary, options) && !has_retransmissions(suspect) &&
         suspect.strength < std::min(primary.strength * options.constants.secondary_share,
                                     options.constants.secondary_score);
}

/// What an operator should read first: not explained, confirmed, still open, persistent, severe.
bool more_pressing(const Incident& a, const Incident& b) {
  const auto urgency = [](const Incident& incident) {
    return std::tuple(incident.status != IncidentStatus::kExplained,
                      incident.state == IncidentState::kConfirmed, incident.status == IncidentStatus::kOpen,
                      incident.persistence, incident.severity);
  };
  return urgency(a) > urgency(b);
}

}  // namespace

std::vector<Incident> make_incidents(const Grouping& grouping, std::span<const GroupSpells> groups,
                                     std::span<const Rule> rules, const IncidentOptions& options) {
  std::vector<Draft> drafts = make_drafts(grouping, groups, options);
  std::stable_sort(drafts.begin(), drafts.end(),
                   [](const Draft& a, const Draft& b) { return a.strength > b.strength; });
  std::vector<Incident> incidents;
  std::vector<const Draft*> primaries;
  for (const Draft& draft : drafts) {
    Incident incident = to_incident(draft, grouping, rules, options);
    const bool secondary =
        !options.paper && std::any_of(primaries.begin(), primaries.end(), [&](const Draft* primary) {
          return explained_by(draft, *primary, options);
        });
    if (secondary) {
      incident.status = IncidentStatus::kExplained;
    } else {
      primaries.push_back(&draft);
    }
    incidents.push_back(std::move(incident));
  }
  std::stable_sort(incidents.begin(), incidents.end(), more_pressing);
  return incidents;
}

}  // namespace laggard::analyse
