#include "engine/diagnoser.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/workers.h"
#include "explain/ids.h"
#include "explain/incidents.h"
#include "explain/settled.h"
#include "explain/skewed_incidents.h"

namespace laggard::engine {

namespace {

/// Fewer anomalies than that are not worth looking through.
constexpr std::size_t kLeastToForget = 64;

PipelineOptions complete(PipelineOptions options, const detect::WindowSpec& windows,
                         detect::CellObserver* observer) {
  options.windows = windows;
  options.observer = observer;
  return options;
}

}  // namespace

Diagnoser::Diagnoser(const Grouping& grouping, DiagnoserOptions options)
    : grouping_(grouping),
      options_(std::move(options)),
      follow_{.preset = options_.preset,
              .parameters = options_.pipeline.parameters,
              .thresholds = options_.thresholds,
              .interventions = options_.pipeline.interventions,
              .bias = options_.bias},
      circles_(detect::make_circles(grouping)),
      clocks_(circles_, Grid{options_.preset.windows.interval}, options_.pipeline.parameters.clocks,
              options_.pipeline.workers),
      loads_(circles_,
             [this](const CellRuns::Run& run, std::span<const double> loads) { clocks_.take(run, loads); }),
      pipeline_(grouping, complete(options_.pipeline, options_.preset.windows,
                                   options_.pipeline.parameters.clocks.reach > 0 ? &loads_ : nullptr)),
      clock_(options_.preset.windows.size) {
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    followers_.emplace_back(grouping, g, follow_, pipeline_.columns(g));
    (followers_.back().second_only() ? seconds_ : firsts_).push_back(g);
  }
  for (detect::GroupFollower& follower : followers_) follower.ask(followers_);
  for (std::vector<std::size_t>* groups : {&seconds_, &firsts_}) {
    std::ranges::stable_sort(*groups, std::greater(), [&](std::size_t g) { return followers_[g].members(); });
  }
  if (options_.history) persistence_.emplace(*options_.history);
}

void Diagnoser::follow_groups(std::span<const detect::JudgedWindow> windows) {
  std::vector<std::vector<const detect::JudgedWindow*>> of_group(followers_.size());
  for (const detect::JudgedWindow& one : windows) of_group[one.group].push_back(&one);
  for (const std::vector<std::size_t>* groups : {&seconds_, &firsts_}) {
    run_all(options_.pipeline.workers, groups->size(), [&](std::size_t i) {
      const std::size_t g = (*groups)[i];
      for (const detect::JudgedWindow* one : of_group[g]) followers_[g].follow(*one);
    });
  }
  for (const std::size_t g : seconds_) followers_[g].end_run();
}

/// The last tick that lies before a window which ends then, when it has not been told yet.
std::optional<WallTime> Diagnoser::tick_before(WallTime end) {
  if (options_.tick.every <= Duration::zero()) return std::nullopt;
  const WallTime tick = floor_to(end - Duration{1}, options_.tick.every);
  if (ticked_ && tick <= *ticked_) return std::nullopt;
  const bool first = !ticked_;
  ticked_ = tick;
  return first ? std::nullopt : std::optional(tick);
}

/// All windows of a run; by the hour, when somebody wants to know who was persistent at its end.
void Diagnoser::follow(detect::JudgedRun& judged) {
  clock_.place(judged, pipeline_.grid());
  const std::span<const detect::JudgedWindow> windows = judged.windows;
  std::size_t followed = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const detect::WindowJudgement& window = windows[i].window;
    from_ = std::min(from_.value_or(window.start), window.start);
    to_ = std::max(to_, window.end);
    const std::optional<WallTime> tick = tick_before(window.end);
    const bool hour = persistence_ && persistence_->due(window.end);
    if (tick || hour) {
      follow_groups(windows.subspan(followed, i - followed));
      followed = i;
    }
    if (hour) persistence_->close(ranking());
    if (persistence_) persistence_->pass(window.end);
    if (tick) tell(*tick);
    position_ = std::max(position_, window.position);
  }
  follow_groups(windows.subspan(followed));
}

void Diagnoser::tell(WallTime tick) {
  options_.tick.tell(*this, tick);
  if (options_.tick.forget) forget_settled();
}

/// What is settled does not leave at once: all of it is looked at, which is worth it now and then only.
void Diagnoser::forget_settled() {
  std::vector<detect::GroupAnomalies> groups = anomalies();
  std::size_t count = 0;
  for (const detect::GroupAnomalies& group : groups) count += group.anomalies.size();
  if (count < forget_from_) return;
  const std::vector<Finding> findings = detect::findings_of_all(grouping_, groups);
  const detect::WindowSpec& windows = options_.preset.windows;
  const std::size_t reach = std::max(detect::kLongestReach, 2 * windows.k - 1);
  const std::vector<std::uint8_t> gone =
      explain::settled(grouping_, findings, incident_options(),
                       {.now = position_, .look_back = static_cast<std::int64_t>(reach * windows.shift)});
  std::vector<std::uint8_t> keep(gone.size());
  std::ranges::transform(gone, keep.begin(), [](std::uint8_t one) { return one == 0 ? 1 : 0; });
  std::span<const std::uint8_t> rest = keep;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    followers_[g].forget(rest.first(groups[g].anomalies.size()));
    rest = rest.subspan(groups[g].anomalies.size());
  }
  const auto kept = static_cast<std::size_t>(std::ranges::count(keep, 1));
  forget_from_ = std::max(kLeastToForget, 2 * kept);
}

void Diagnoser::add(const SampleTable& table) { add(std::span(&table, 1)); }

void Diagnoser::add(std::span<const SampleTable> tables) {
  pipeline_.add(tables, [this](detect::JudgedRun& judged) { follow(judged); });
}

void Diagnoser::advance(WallTime until) {
  pipeline_.advance(until, [this](detect::JudgedRun& judged) { follow(judged); });
}

void Diagnoser::take(detect::JudgedRun& judged) {
  if (options_.pipeline.parameters.clocks.reach > 0) clocks_.take(judged.run, judged.loads);
  follow(judged);
}

void Diagnoser::finish() {
  pipeline_.finish([this](detect::JudgedRun& judged) { follow(judged); });
  clocks_.finish();
  for (detect::GroupFollower& follower : followers_) follower.finish();
  if (persistence_) persistence_->close(ranking());
}

std::vector<RankedComponent> Diagnoser::ranking() const {
  std::map<std::string, RankedComponent> best;
  for (const detect::GroupFollower& follower : followers_) {
    const PeerGroup& group = follower.peers();
    for (const detect::AnomalyTracker& tracker : follower.trackers()) {
      const auto states = tracker.states();
      for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i].persistence == 0 && states[i].severity == 0) continue;
        const std::string& name = grouping_[group.members[i]].name;
        RankedComponent& ranked =
            best.try_emplace(name, RankedComponent{name, group.name, 0, 0}).first->second;
        ranked.persistence = std::max(ranked.persistence, static_cast<int>(states[i].persistence));
        ranked.severity = std::max(ranked.severity, states[i].severity);
      }
    }
  }
  std::vector<RankedComponent> ranking;
  ranking.reserve(best.size());
  for (auto& [name, ranked] : best) ranking.push_back(std::move(ranked));
  std::stable_sort(ranking.begin(), ranking.end(), [](const RankedComponent& a, const RankedComponent& b) {
    if (a.persistence != b.persistence) return a.persistence > b.persistence;
    if (a.severity != b.severity) return a.severity > b.severity;
    return natural_less(a.component, b.component);
  });
  return ranking;
}

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

std::vector<detect::GroupAnomalies> Diagnoser::anomalies() const {
  std::vector<detect::GroupAnomalies> groups;
  for (const detect::GroupFollower& follower : followers_) groups.push_back(follower.anomalies());
  return groups;
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
  incident.limits = options_.pipeline.parameters.incidents;
  incident.confirm_persistence = options_.preset.confirm_persistence;
  return incident;
}

Diagnosis Diagnoser::diagnosis() const {
  const std::vector<detect::GroupAnomalies> groups = anomalies();
  Diagnosis diagnosis;
  diagnosis.from = from_.value_or(WallTime{});
  diagnosis.to = to_;
  diagnosis.preset = options_.preset.name;
  for (const detect::Distance distance : options_.pipeline.distances) {
    diagnosis.distance += (diagnosis.distance.empty() ? "" : "+") + std::string(to_name(distance));
  }
  diagnosis.thresholds = options_.thresholds.trained() ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  diagnosis.incidents = explain::make_incidents(grouping_, detect::peer_findings(grouping_, groups),
                                                options_.rules, incident_options());
  explain::keep_known_ids(diagnosis.incidents, options_.known);
  mark_excluded(diagnosis.incidents);
  diagnosis.ranking = ranking();
  diagnosis.coverage.hosts = grouping_.servers.size() + grouping_.clients.size();
  diagnosis.coverage.components = grouping_.components.size();
  std::set<std::string> metrics;
  for (const detect::GroupAnomalies& group : groups) {
    for (const detect::GroupJudge::Column& column : group.columns) {
      if (column.judged) metrics.insert(std::string(column.metric->name));
    }
  }
  diagnosis.coverage.metrics.assign(metrics.begin(), metrics.end());
  diagnosis.coverage.not_comparable = grouping_.not_comparable;
  diagnosis.coverage.clocks = clocks_.clocks();
  explain::mark_skewed_incidents(diagnosis, grouping_);
  return diagnosis;
}

std::vector<PersistenceRow> Diagnoser::persistence_rows() const {
  return persistence_ ? persistence_->rows() : std::vector<PersistenceRow>{};
}

std::vector<ScoreMap> Diagnoser::score_maps() const {
  std::vector<ScoreMap> maps;
  for (const detect::GroupFollower& follower : followers_) {
    if (auto map = follower.score_map()) maps.push_back(std::move(*map));
  }
  return maps;
}

}  // namespace laggard::engine
