#include "cmd/incident_view.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "explain/ids.h"

namespace laggard::cmd {

namespace {

bool is_called(const Incident& incident, std::string_view id) {
  return incident.id == id || std::ranges::find(incident.also_known_as, id) != incident.also_known_as.end() ||
         explain::former_id(incident) == id;
}

bool affects(const Incident& incident, const Grouping& grouping, const Decision& decision) {
  return std::ranges::any_of(components_of(grouping, decision), [&](std::size_t c) {
    return std::ranges::find(incident.components, grouping.components[c].name) != incident.components.end();
  });
}

bool concerns(const Decision& decision, const Incident& incident, const Grouping& grouping) {
  if (is_called(incident, decision.subject)) return true;
  const bool note_on_another = decision.kind == DecisionKind::kNoted && decision.about;
  if (note_on_another || !affects(incident, grouping, decision)) return false;
  return decision.kind != DecisionKind::kRepaired || (decision.from && *decision.from > incident.since);
}

void add_decisions(Incident& incident, const AnalysisSetup& setup) {
  for (const Decision& decision : setup.decisions) {
    if (decision.kind == DecisionKind::kUndone || !concerns(decision, incident, setup.grouping)) continue;
    incident.decisions.push_back({std::string(to_name(decision.kind)), decision.made, decision.by,
                                  decision.why, is_undone(decision, setup.decisions)});
    const bool by_another_name = decision.subject != incident.id && is_called(incident, decision.subject);
    std::vector<std::string>& names = incident.also_known_as;
    if (by_another_name && std::ranges::find(names, decision.subject) == names.end())
      names.push_back(decision.subject);
  }
}

/// The first repair that ended the incident; nothing when none did.
std::optional<WallTime> repaired_at(const Incident& incident, const AnalysisSetup& setup) {
  std::optional<WallTime> first;
  for (const Decision& decision : standing(setup.decisions)) {
    if (decision.kind != DecisionKind::kRepaired || !decision.from) continue;
    if (concerns(decision, incident, setup.grouping) && (!first || *decision.from < *first))
      first = decision.from;
  }
  return first;
}

/// Puts the incident as it is without decisions into the state in which they left it. False when they are
/// not why it is seen no more.
bool leave_as_decided(Incident& incident, const AnalysisSetup& setup) {
  const IncidentDecision* last = last_act(incident);
  if (last == nullptr || last->what == to_name(DecisionKind::kIncluded)) return false;
  if (last->what == to_name(DecisionKind::kExcluded)) {
    incident.status = IncidentStatus::kExcluded;
    return true;
  }
  incident.status = IncidentStatus::kClosed;
  const WallTime end = repaired_at(incident, setup).value_or(incident.seen_until);
  incident.until = std::max(incident.since, std::min(incident.seen_until, end));
  incident.seen_until = *incident.until;
  return true;
}

bool any_acts(const AnalysisSetup& setup) {
  return std::ranges::any_of(standing(setup.decisions), [](const Decision& decision) {
    return decision.kind == DecisionKind::kExcluded || decision.kind == DecisionKind::kRepaired;
  });
}

Result<IncidentView> judged(const DiagnoseOptions& options) {
  auto setup = prepare_diagnosis(options);
  if (!setup) return forward(setup);
  IncidentView view{std::move(*setup), {}};
  auto diagnosis = diagnose(options, view.setup);
  if (!diagnosis) return forward(diagnosis);
  view.diagnosis = std::move(*diagnosis);
  for (Incident& incident : view.diagnosis.incidents) add_decisions(incident, view.setup);
  return view;
}

}  // namespace

const Incident* find_incident(const Diagnosis& diagnosis, std::string_view id) {
  const auto by_id = std::ranges::find(diagnosis.incidents, id, &Incident::id);
  if (by_id != diagnosis.incidents.end()) return &*by_id;
  const auto found = std::ranges::find_if(diagnosis.incidents,
                                          [&](const Incident& incident) { return is_called(incident, id); });
  return found == diagnosis.incidents.end() ? nullptr : &*found;
}

std::vector<Decision> decisions_about(const AnalysisSetup& setup, const Incident& incident) {
  std::vector<Decision> about;
  std::set<std::pair<WallTime, std::string>> made;
  for (const Decision& decision : setup.decisions) {
    const bool takes_one_back = decision.undoes && made.contains({*decision.undoes, decision.subject});
    const bool concerned = decision.kind == DecisionKind::kUndone
                               ? takes_one_back
                               : concerns(decision, incident, setup.grouping);
    if (!concerned) continue;
    made.insert({decision.made, decision.subject});
    about.push_back(decision);
  }
  return about;
}

KnownIncident snapshot(const Incident& incident) {
  return {.id = incident.id,
          .blamed = incident.blame.name,
          .cause = incident.cause,
          .since = incident.since,
          .until = incident.seen_until,
          .components = incident.components};
}

Result<IncidentView> view_incidents(const DiagnoseOptions& options) {
  DiagnoseOptions quiet = options;
  quiet.quiet = true;
  auto view = judged(quiet);
  if (!view || !any_acts(view->setup)) return view;
  quiet.analysis.heed_decisions = false;
  auto undecided = judged(quiet);
  if (!undecided) return forward(undecided);
  std::vector<Incident> vanished;
  for (Incident& incident : undecided->diagnosis.incidents) {
    if (find_incident(view->diagnosis, incident.id) != nullptr) continue;
    if (leave_as_decided(incident, view->setup)) vanished.push_back(std::move(incident));
  }
  std::ranges::move(vanished, std::back_inserter(view->diagnosis.incidents));
  return view;
}

}  // namespace laggard::cmd
