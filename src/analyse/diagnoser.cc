#include "analyse/diagnoser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analyse/judge/peers.h"
#include "analyse/skew/skewed_incidents.h"
#include "base/text.h"

namespace laggard::analyse {

namespace {

/// A shift that reaches its limit counts, while a score must exceed 1.
constexpr double kJustBelow = 0.999;

/// A bias needs samples that are nearly independent: it is made for production's windows, not for minutes.
constexpr Duration kLeastBiasInterval = std::chrono::seconds(5);

PipelineOptions complete(PipelineOptions options, const WindowSpec& windows, CellObserver* observer) {
  options.windows = windows;
  options.observer = observer;
  return options;
}

std::vector<std::string> names_of(const Grouping& grouping, const PeerGroup& group) {
  std::vector<std::string> names;
  for (const ComponentId id : group.members) names.push_back(grouping[id].name);
  return names;
}

}  // namespace

Diagnoser::Diagnoser(const Grouping& grouping, DiagnoserOptions options)
    : grouping_(grouping),
      options_(std::move(options)),
      circles_(make_circles(grouping)),
      clocks_(circles_, Grid{options_.preset.windows.interval}, options_.pipeline.constants.clocks,
              options_.pipeline.workers),
      loads_(circles_,
             [this](const CellRuns::Run& run, std::span<const double> loads) { clocks_.take(run, loads); }),
      pipeline_(grouping, complete(options_.pipeline, options_.preset.windows,
                                   options_.pipeline.constants.clocks.reach > 0 ? &loads_ : nullptr)),
      clock_(options_.preset.windows.size) {
  const Duration step = window_step(options_.preset.windows);
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const std::size_t members = grouping.groups[g].members.size();
    history_.emplace_back(members, step);
    names_.push_back(names_of(grouping, grouping.groups[g]));
    bias_.emplace_back();
    const auto& columns = pipeline_.columns(g);
    const bool has_latency =
        std::any_of(columns.begin(), columns.end(), [](const GroupJudge::Column& column) {
          return column.judged && column.metric->role == Role::kLatency;
        });
    if (has_latency && options_.bias && !options_.pipeline.paper &&
        options_.preset.windows.interval >= kLeastBiasInterval) {
      bias_.back().emplace(members, options_.pipeline.constants.bias);
    }
  }
  if (options_.history) persistence_.emplace(*options_.history);
  find_seconds();
  for (const PeerGroup& group : grouping.groups) {
    redundant_.push_back(std::ranges::all_of(
        group.members, [&](ComponentId id) { return grouping[id].priority.value_or(0) > 0; }));
  }
  last_position_.assign(grouping.groups.size(), 0);
  last_end_.resize(grouping.groups.size());
  last_start_.assign(grouping.groups.size(), WallTime::min());
}

void Diagnoser::find_seconds() {
  seconds_.resize(grouping_.groups.size());
  for (const PeerGroup& group : grouping_.groups) {
    auto& places = second_of_.emplace_back();
    for (std::size_t i = 0; i < group.double_with.size(); ++i) {
      auto& place = places.emplace_back();
      if (!group.double_with[i]) continue;
      const auto& members = grouping_[*group.double_with[i]].members;
      const auto member = std::find(members.begin(), members.end(), group.members[i]);
      if (member == members.end()) continue;
      place = Place{group.double_with[i]->index(), static_cast<std::size_t>(member - members.begin())};
    }
  }
}

SpellTracker& Diagnoser::tracker(std::size_t group, const MetricSpec* metric, const std::string& detector) {
  for (SpellTracker& tracker : trackers_) {
    if (tracker.group() == group && &tracker.metric() == metric && tracker.detector() == detector)
      return tracker;
  }
  const Constants& constants = options_.pipeline.constants;
  SpellTracker::Options spell;
  spell.filter = constants.filter;
  spell.filter.k = options_.preset.windows.k;
  spell.shift = options_.preset.windows.shift;
  spell.gate_severity =
      options_.pipeline.paper ? std::numeric_limits<double>::infinity() : constants.gate_severity;
  spell.confirm = {options_.preset.confirm_persistence, constants.confirm_severity};
  // F filters over windows everywhere but for cwnd, whose long average does it.
  if (options_.pipeline.paper && metric->role == Role::kCongestion) spell.filter.k = 1;
  if (detector == kBiasDetector) {
    // It gathers its evidence over hours and knows itself when that is enough.
    spell.filter.k = 1;
    spell.confirm = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<double>::infinity()};
  }
  return trackers_.emplace_back(group, grouping_.groups[group].members.size(), metric, detector, spell);
}

/// A member of double peer groups is anomalous only when it is so in both: what is slow beside all the others
/// of its server is slow itself, what is slow together with them is not (T §6.2.3). Where the second group
/// said nothing about this window, the first one decides alone.
void Diagnoser::clear_where_second_is_well(std::size_t group, const WindowJudgement& window,
                                           const MetricSpec* metric, const std::string& detector,
                                           ScoredTrack& track) const {
  for (std::size_t i = 0; i < second_of_[group].size(); ++i) {
    const auto& place = second_of_[group][i];
    if (!place) continue;
    const Second& second = seconds_[place->group];
    const auto flags = second.anomalous.find({metric, detector});
    if (second.window != window.index || flags == second.anomalous.end()) continue;
    if (flags->second[place->member] == 0) track.distance[i] = std::min(track.distance[i], 0.0);
  }
}

void Diagnoser::feed(std::size_t group, const WindowJudgement& window, const MetricSpec* metric,
                     const std::string& detector, ScoredTrack track) {
  if (grouping_.groups[group].second_only) {
    Second& second = seconds_[group];
    if (second.window != window.index) second = {window.index, {}};
    auto& flags = second.anomalous[{metric, detector}];
    for (std::size_t i = 0; i < track.distance.size(); ++i) {
      flags.push_back(track.distance[i] > track.threshold[i] ? 1 : 0);
    }
    return;
  }
  clear_where_second_is_well(group, window, metric, detector, track);
  track.idle = metric->role == Role::kLatency && window.idle;
  tracker(group, metric, detector).add(window, track);
  std::vector<double> scores(track.distance.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = track.distance[i] / track.threshold[i];
  history_[group].add(window.start, scores);
}

void Diagnoser::judge_bias(std::size_t group, const WindowJudgement& window) {
  if (!bias_[group] || window.active_latency.empty()) return;
  const MetricSpec* metric = pipeline_.columns(group)[window.latency_column].metric;
  const BiasOptions& options = options_.pipeline.constants.bias;
  // What single requests took while the group was idle says nothing, here as for the distances: a few cheap
  // ones, such as a server's own work (T §5.8.2), change the mean of all.
  const auto verdicts =
      window.idle ? bias_[group]->verdicts() : bias_[group]->add(window.active_latency, window.latency_floor);
  ScoredTrack track;
  for (const Bias& bias : verdicts) {
    track.certain.push_back(bias.verdict == BiasVerdict::kConfirmed ? 1 : 0);
    track.reach.push_back(bias.windows);
    track.distance.push_back(bias.verdict == BiasVerdict::kNone ? 0 : bias.shift);
    track.threshold.push_back(options.suspect_shift * kJustBelow);
  }
  feed(group, window, metric, std::string(kBiasDetector), std::move(track));
}

bool Diagnoser::has_tracker(std::size_t group, std::string_view detector) const {
  return std::ranges::any_of(trackers_, [&](const SpellTracker& tracker) {
    return tracker.group() == group && tracker.detector() == detector;
  });
}

/// Where all attachments of a group have better ones before them and most do nothing, one that makes what it
/// gets wait for long in at least half of the samples is sick (T §5.7.3, 21.34.124): no peer works that it
/// could be compared with.
void Diagnoser::judge_uncalled(std::size_t group, const WindowJudgement& window) {
  if (!redundant_[group] || options_.pipeline.paper || window.active_latency.empty()) return;
  if (!window.idle) return;
  const double least = options_.pipeline.constants.uncalled_ms;
  const bool any = std::ranges::any_of(window.active_latency, [&](double ms) { return ms >= least; });
  if (!any && !has_tracker(group, kUncalledDetector)) return;
  ScoredTrack track;
  for (const double ms : window.active_latency) track.distance.push_back(std::isnan(ms) ? 0 : ms);
  track.threshold.assign(track.distance.size(), least);
  feed(group, window, pipeline_.columns(group)[window.latency_column].metric, std::string(kUncalledDetector),
       std::move(track));
}

void Diagnoser::judge_absent(std::size_t group, const WindowJudgement& window) {
  const bool any = std::find(window.absent.begin(), window.absent.end(), 1) != window.absent.end();
  const auto& columns = pipeline_.columns(group);
  const auto throughput = std::find_if(columns.begin(), columns.end(), [](const GroupJudge::Column& column) {
    return column.metric->role == Role::kThroughput;
  });
  if (throughput == columns.end() || options_.pipeline.paper) return;
  if (!any && !has_tracker(group, kAbsentDetector)) return;
  ScoredTrack track;
  track.distance.resize(window.absent.size());
  std::transform(window.absent.begin(), window.absent.end(), track.distance.begin(),
                 [](std::uint8_t absent) { return absent != 0 ? 2.0 : 0.0; });
  track.threshold.assign(track.distance.size(), 1);
  feed(group, window, throughput->metric, std::string(kAbsentDetector), std::move(track));
}

void Diagnoser::judge(std::size_t group, const WindowJudgement& window) {
  if (persistence_) {
    if (persistence_->due(window.end)) persistence_->close(ranking());
    persistence_->pass(window.end);
  }
  from_ = std::min(from_.value_or(window.start), window.start);
  to_ = std::max(to_, window.end);
  last_position_[group] = window.position;
  last_end_[group] = window.end;
  heed_repairs(group, window.start);
  const PeerGroup& peers = grouping_.groups[group];
  const std::vector<std::string>& names = names_[group];
  const WindowSpec& windows = options_.preset.windows;
  const double independent = static_cast<double>(windows.size) / static_cast<double>(windows.smoothing);
  for (const TrackJudgement& judgement : window.tracks) {
    const ThresholdBook::Column thresholds =
        options_.thresholds.column({peers.name, *judgement.metric, judgement.regime, judgement.detector,
                                    options_.pipeline.constants, judgement.yardstick, independent},
                                   names, options_.pipeline.paper);
    feed(group, window, judgement.metric, judgement.detector,
         {judgement.distance, thresholds.values, judgement.below, {}, {}, thresholds.trained});
  }
  judge_bias(group, window);
  judge_uncalled(group, window);
  // Who does nothing is sick whatever its server's other devices do.
  if (!peers.second_only) judge_absent(group, window);
}

/// Windows that hold samples from before a repair count against the old part.
void Diagnoser::heed_repairs(std::size_t group, WallTime start) {
  const WallTime before = std::exchange(last_start_[group], start);
  const auto& members = grouping_.groups[group].members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!options_.pipeline.interventions.repaired(members[i].index(), before, start)) continue;
    for (SpellTracker& tracker : trackers_) {
      if (tracker.group() == group) tracker.repaired(i);
    }
    if (bias_[group]) bias_[group]->repaired(i);
  }
}

void Diagnoser::add(const SampleTable& table) { add(std::span(&table, 1)); }

void Diagnoser::add(std::span<const SampleTable> tables) {
  pipeline_.add(tables, [this](std::size_t group, const WindowJudgement& window) { judge(group, window); });
}

void Diagnoser::take(JudgedRun& judged) {
  if (options_.pipeline.constants.clocks.reach > 0) clocks_.take(judged.run, judged.loads);
  clock_.take(judged, pipeline_.grid(),
              [this](std::size_t group, const WindowJudgement& window) { judge(group, window); });
}

void Diagnoser::finish() {
  pipeline_.finish([this](std::size_t group, const WindowJudgement& window) { judge(group, window); });
  clocks_.finish();
  // Repaired after the last window began: nothing has been seen of what is there now.
  for (std::size_t g = 0; g < grouping_.groups.size(); ++g) heed_repairs(g, WallTime::max());
  if (persistence_) persistence_->close(ranking());
}

std::vector<RankedComponent> Diagnoser::ranking() const {
  std::map<std::string, RankedComponent> best;
  for (const SpellTracker& tracker : trackers_) {
    const PeerGroup& group = grouping_.groups[tracker.group()];
    const auto states = tracker.states();
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].persistence == 0 && states[i].severity == 0) continue;
      const std::string& name = grouping_[group.members[i]].name;
      RankedComponent& ranked = best.try_emplace(name, RankedComponent{name, group.name, 0, 0}).first->second;
      ranked.persistence = std::max(ranked.persistence, static_cast<int>(states[i].persistence));
      ranked.severity = std::max(ranked.severity, states[i].severity);
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

Diagnosis Diagnoser::diagnosis() const {
  std::vector<GroupSpells> groups(grouping_.groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].columns = pipeline_.columns(g);
  for (const SpellTracker& tracker : trackers_) {
    GroupSpells& group = groups[tracker.group()];
    for (const Spell& spell : tracker.spells()) {
      group.spells.push_back(&spell);
      const bool still_faulty =
          tracker.states()[spell.member].faulty || spell.until == last_end_[tracker.group()];
      const bool recent =
          last_position_[tracker.group()] - spell.last_position <
          static_cast<std::int64_t>(options_.preset.windows.k * options_.preset.windows.shift);
      const bool repaired = options_.pipeline.interventions.repaired(
          grouping_.groups[tracker.group()].members[spell.member].index(), spell.since, WallTime::max());
      group.open.push_back(still_faulty && recent && !repaired ? 1 : 0);
    }
  }
  IncidentOptions incident;
  incident.shift = options_.preset.windows.shift;
  incident.size = options_.preset.windows.size;
  incident.k = options_.preset.windows.k;
  incident.paper = options_.pipeline.paper;
  incident.constants = options_.pipeline.constants;
  incident.confirm_persistence = options_.preset.confirm_persistence;
  Diagnosis diagnosis;
  diagnosis.from = from_.value_or(WallTime{});
  diagnosis.to = to_;
  diagnosis.preset = options_.preset.name;
  for (const Distance distance : options_.pipeline.distances) {
    diagnosis.distance += (diagnosis.distance.empty() ? "" : "+") + std::string(to_name(distance));
  }
  diagnosis.thresholds = options_.thresholds.trained() ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  diagnosis.incidents = make_incidents(grouping_, groups, options_.rules, incident);
  mark_excluded(diagnosis.incidents);
  diagnosis.ranking = ranking();
  diagnosis.coverage.hosts = grouping_.servers.size() + grouping_.clients.size();
  diagnosis.coverage.components = grouping_.components.size();
  std::set<std::string> metrics;
  for (const GroupSpells& group : groups) {
    for (const GroupJudge::Column& column : group.columns) {
      if (column.judged) metrics.insert(std::string(column.metric->name));
    }
  }
  diagnosis.coverage.metrics.assign(metrics.begin(), metrics.end());
  diagnosis.coverage.not_comparable = grouping_.not_comparable;
  diagnosis.coverage.clocks = clocks_.clocks();
  mark_skewed_incidents(diagnosis, grouping_);
  return diagnosis;
}

std::vector<PersistenceRow> Diagnoser::persistence_rows() const {
  return persistence_ ? persistence_->rows() : std::vector<PersistenceRow>{};
}

std::vector<ScoreMap> Diagnoser::score_maps() const {
  std::vector<ScoreMap> maps;
  for (std::size_t g = 0; g < history_.size(); ++g) {
    if (pipeline_.columns(g).empty() || grouping_.groups[g].second_only) continue;
    maps.push_back(history_[g].to_map(grouping_.groups[g].name, names_[g]));
  }
  return maps;
}

}  // namespace laggard::analyse
