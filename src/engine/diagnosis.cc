// What a diagnoser says: its findings on one clock, the incidents that they make, and the whole diagnosis.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/diagnoser.h"
#include "explain/circumstances.h"
#include "explain/ids.h"
#include "explain/incidents.h"

namespace laggard::engine {

/// Incidents of which every component has been left out by the end are the operators' business already.
void Diagnoser::mark_excluded(std::vector<Incident>& incidents) const {
  const Interventions& interventions = options_.pipeline.interventions;
  if (interventions.empty()) return;
  std::set<std::string_view> excluded;
  for (std::size_t c = 0; c < grouping_.components.size(); ++c) {
    if (interventions.excluded(c, to_)) excluded.insert(grouping_.components[c].name);
  }
  for (Incident& incident : incidents) {
    const bool all = std::ranges::all_of(incident.components,
                                         [&](const std::string& name) { return excluded.contains(name); });
    if (all) incident.status = IncidentStatus::kExcluded;
  }
}

/// On the clock of the windows; detectors of events know only times.
void Diagnoser::place(Finding& finding) const {
  const auto shift = static_cast<std::int64_t>(options_.preset.windows.shift);
  const auto position = [this](WallTime t) { return clock_.position(pipeline_.grid().cell(t)); };
  finding.first = position(finding.since);
  finding.last = std::max(finding.first, position(finding.until) - shift + 1);
}

/// Those of the windows of the other length, whose evidence and that of the preset's says which is whose. The
/// clock of findings is that of the preset's windows: the last one of another length ends when such a window
/// would that began then.
void Diagnoser::add_beside(std::vector<Finding>& all) const {
  if (beside_.empty()) return;
  const detect::WindowSpec& own = options_.preset.windows;
  const detect::WindowSpec& other = options_.pipeline.beside->preset.windows;
  const auto seconds_of = [](const detect::WindowSpec& windows) {
    return to_seconds(windows.interval * static_cast<std::int64_t>(windows.size));
  };
  for (Finding& finding : all) finding.evidence.window_s = seconds_of(own);
  for (Finding& finding : beside_.front().findings()) {
    finding.evidence.window_s = seconds_of(other);
    finding.last += static_cast<std::int64_t>(other.size) - static_cast<std::int64_t>(own.size);
    finding.last = std::max(finding.last, finding.first);
    all.push_back(std::move(finding));
  }
}

std::vector<Finding> Diagnoser::findings() const {
  std::vector<Finding> all = peers_.findings();
  add_beside(all);
  std::ranges::move(slow_.findings(now_), std::back_inserter(all));
  std::ranges::move(bursts_.findings(now_), std::back_inserter(all));
  for (Finding& finding : detectors_.findings()) {
    place(finding);
    all.push_back(std::move(finding));
  }
  return all;
}

explain::IncidentOptions Diagnoser::incident_options() const {
  explain::IncidentOptions incident;
  incident.shift = options_.preset.windows.shift;
  incident.size = options_.preset.windows.size;
  incident.k = options_.preset.windows.k;
  incident.cell = options_.preset.windows.interval;
  const detect::Policies& policies = options_.pipeline.parameters.policies;
  incident.joint_confirmation = policies.joint_confirmation;
  incident.failovers = policies.failovers;
  incident.companions = policies.companions;
  incident.halting = policies.halting;
  incident.limits = options_.pipeline.parameters.incidents;
  incident.confirm_persistence = options_.preset.confirm_persistence;
  return incident;
}

/// Under their own ids.
std::vector<Incident> Diagnoser::incidents() const {
  std::vector<Finding> findings = this->findings();
  std::erase_if(findings, [](const Finding& finding) { return finding.withheld; });
  std::vector<Incident> incidents =
      explain::make_incidents(grouping_, findings, options_.rules, incident_options());
  examiners_.add_answers(incidents);
  for (Incident& incident : incidents) incident.impact = impacts_.of(incident);
  return incidents;
}

/// By what operators know of and by what was recorded.
void Diagnoser::explain_work(Diagnosis& diagnosis) const {
  if (diagnosis.incidents.empty()) return;
  std::vector<ExpectedWork> known = options_.expected;
  std::ranges::move(work_.work(), std::back_inserter(known));
  const detect::WindowSpec& windows = options_.preset.windows;
  explain::explain_expected_work(diagnosis, grouping_, known,
                                 windows.interval * static_cast<std::int64_t>(windows.size));
}

/// By the windows of the preset, then those whom only the other length saw.
std::vector<RankedComponent> Diagnoser::ranking() const {
  std::vector<RankedComponent> ranking = peers_.ranking();
  for (const detect::PeerDetector& peers : beside_) {
    for (RankedComponent& one : peers.ranking()) {
      if (std::ranges::find(ranking, one.component, &RankedComponent::component) == ranking.end())
        ranking.push_back(std::move(one));
    }
  }
  return ranking;
}

Diagnosis Diagnoser::diagnosis() const {
  Diagnosis diagnosis;
  diagnosis.from = from_.value_or(WallTime{});
  diagnosis.to = to_;
  if (const auto events = detectors_.span()) {
    diagnosis.from = std::min(from_.value_or(events->from), events->from);
    diagnosis.to = std::max(to_, events->to);
  }
  diagnosis.preset = options_.preset.name;
  if (options_.pipeline.beside) diagnosis.beside = options_.pipeline.beside->preset.name;
  for (const detect::Distance distance : options_.pipeline.distances) {
    diagnosis.distance += (diagnosis.distance.empty() ? "" : "+") + std::string(to_name(distance));
  }
  diagnosis.thresholds = options_.thresholds.trained() ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  diagnosis.incidents = incidents();
  explain::keep_known_ids(diagnosis.incidents, options_.known);
  mark_excluded(diagnosis.incidents);
  diagnosis.ranking = ranking();
  diagnosis.coverage.hosts = grouping_.servers.size() + grouping_.clients.size();
  diagnosis.coverage.components = grouping_.components.size();
  const std::set<std::string> metrics = peers_.metrics();
  diagnosis.coverage.metrics.assign(metrics.begin(), metrics.end());
  diagnosis.coverage.not_comparable = grouping_.not_comparable;
  diagnosis.shared_symptoms = detectors_.shared_symptoms();
  diagnosis.coverage.missing = detectors_.notes();
  std::ranges::move(pipeline_.derivations().notes(), std::back_inserter(diagnosis.coverage.missing));
  diagnosis.coverage.clocks = clocks_.clocks();
  diagnosis.coverage.judged = extent_.judged();
  explain::mark_skewed_incidents(diagnosis, grouping_);
  explain_work(diagnosis);
  if (options_.pipeline.parameters.policies.whole_groups) {
    diagnosis.slowdowns = troubles_.slowdowns(diagnosis.incidents);
    diagnosis.camps = troubles_.camps(diagnosis.incidents, to_);
  }
  return diagnosis;
}

std::vector<PersistenceRow> Diagnoser::persistence_rows() const {
  return persistence_ ? persistence_->rows() : std::vector<PersistenceRow>{};
}

}  // namespace laggard::engine
