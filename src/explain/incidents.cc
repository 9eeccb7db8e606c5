#include "explain/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "explain/hypothesis.h"
#include "explain/ids.h"
#include "explain/patterns.h"

namespace laggard::explain {

namespace {

bool has_retransmissions(const Hypothesis& hypothesis) {
  return std::ranges::any_of(hypothesis.findings,
                             [](const Finding* finding) { return finding->role == Role::kRetransmission; });
}

void take_cause(Incident& incident, const Suspect& suspect, std::span<const Rule> rules) {
  if (const Rule* rule = first_match(rules, suspect)) {
    incident.cause = rule->cause;
    incident.resource = rule->resource;
    incident.rule = rule->name;
    incident.why = explain(*rule, suspect, incident.blame.name);
    return;
  }
  incident.cause = "unknown";
  const std::optional<Resource> resource = suspect.findings.front()->resource;
  incident.resource = resource ? to_name(*resource) : "unknown";
  incident.rule = "none";
  const bool peers = std::ranges::any_of(
      suspect.findings, [](const Finding* finding) { return !finding->evidence.metric.empty(); });
  incident.why = fmt::format("{} {}, but no rule names a cause", incident.blame.name,
                             peers ? "differs from its peers" : "is not well");
}

Incident to_incident(const Hypothesis& hypothesis, const Grouping& grouping, std::span<const Rule> rules,
                     const IncidentOptions& options) {
  Incident incident;
  incident.blame = hypothesis.blamed.blame;
  incident.alternatives = hypothesis.blamed.alternatives;
  incident.since = hypothesis.since;
  incident.faulty_since = hypothesis.faulty_since;
  incident.persistent_since = hypothesis.persistent_since;
  incident.confirmed_since = hypothesis.confirmed_since;
  if (!hypothesis.open) incident.until = hypothesis.until;
  incident.seen_until = hypothesis.until;
  incident.status = hypothesis.open ? IncidentStatus::kOpen : IncidentStatus::kClosed;
  if (hypothesis.confirmed_since) incident.state = IncidentState::kConfirmed;
  bool trained = true;
  std::set<std::string> names;
  for (const Finding* finding : hypothesis.findings) {
    names.insert(subject_name(grouping, *finding));
    incident.persistence = std::max(incident.persistence, static_cast<int>(finding->persistence));
    incident.severity = std::max(incident.severity, finding->severity);
    trained = trained && finding->trained;
    incident.evidence.push_back(finding->evidence);
  }
  for (const Failover& failover : hypothesis.failovers) {
    Evidence& evidence = incident.evidence.emplace_back(failover.finding->evidence);
    evidence.note = fmt::format("has load in place of {}", grouping.components[failover.instead_of].name);
  }
  incident.thresholds = trained ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  incident.components.assign(names.begin(), names.end());
  std::stable_sort(incident.evidence.begin(), incident.evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.score > b.score; });
  take_cause(
      incident,
      {hypothesis.findings, hypothesis.blamed.blame.kind, find_patterns(hypothesis, grouping, options)},
      rules);
  return incident;
}

bool concurrent(const Hypothesis& suspect, const Hypothesis& primary, const IncidentOptions& options) {
  const auto tail = static_cast<std::int64_t>(options.size + options.shift * (2 * options.k - 1));
  const auto head = static_cast<std::int64_t>(options.shift + options.size);
  return suspect.first <= primary.last + tail && suspect.last >= primary.first - head;
}

bool explained_by(const Hypothesis& suspect, const Hypothesis& primary, const IncidentOptions& options) {
  return concurrent(suspect, primary, options) && !has_retransmissions(suspect) &&
         suspect.strength <
             std::min(primary.strength * options.limits.secondary_share, options.limits.secondary_score);
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

std::vector<Incident> make_incidents(const Grouping& grouping, std::span<const Finding> findings,
                                     std::span<const Rule> rules, const IncidentOptions& options) {
  std::vector<Hypothesis> hypotheses = make_hypotheses(grouping, findings, options);
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.strength > b.strength; });
  const std::vector<std::string> ids = incident_ids(hypotheses, grouping, options.window_step());
  std::vector<Incident> incidents;
  std::vector<const Hypothesis*> primaries;
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    const Hypothesis& hypothesis = hypotheses[h];
    Incident incident = to_incident(hypothesis, grouping, rules, options);
    incident.id = ids[h];
    const bool secondary = std::any_of(primaries.begin(), primaries.end(), [&](const Hypothesis* primary) {
      return explained_by(hypothesis, *primary, options);
    });
    if (secondary) {
      incident.status = IncidentStatus::kExplained;
    } else {
      primaries.push_back(&hypothesis);
    }
    incidents.push_back(std::move(incident));
  }
  std::stable_sort(incidents.begin(), incidents.end(), more_pressing);
  return incidents;
}

}  // namespace laggard::explain
