#include "detect/peer/judge/group_follower.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/missing.h"
#include "detect/peer/judge/level_book.h"
#include "detect/peer/judge/levels.h"
#include "detect/peer/judge/service_times.h"
#include "stats/missing_values.h"

namespace laggard::detect {

void SecondOpinions::add(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector,
                         Flags flags) {
  if (opinions_.empty() || opinions_.back().window != judged.window.index) {
    opinions_.push_back({judged.cell, judged.window.index, {}});
  }
  opinions_.back().flags.insert_or_assign({metric, detector}, std::move(flags));
}

const SecondOpinions::Flags* SecondOpinions::about(const JudgedWindow& judged, const MetricSpec* metric,
                                                   const std::string& detector) const {
  const auto later = std::ranges::upper_bound(opinions_, judged.cell, {}, &Opinion::cell);
  if (later == opinions_.begin()) return nullptr;
  const Opinion& latest = *std::prev(later);
  if (latest.window != judged.window.index) return nullptr;
  const auto flags = latest.flags.find({metric, detector});
  return flags == latest.flags.end() ? nullptr : &flags->second;
}

void SecondOpinions::end_run() {
  if (opinions_.size() > 1) opinions_.erase(opinions_.begin(), opinions_.end() - 1);
}

namespace {

/// A shift that reaches its limit counts, while a score must exceed 1.
constexpr double kJustBelow = 0.999;

std::vector<std::string> names_of(const Grouping& grouping, const PeerGroup& group) {
  std::vector<std::string> names;
  for (const ComponentId id : group.members) names.push_back(grouping[id].name);
  return names;
}

/// Of service times S has no threshold but what training says.
bool cannot_be_judged(const TrackJudgement& track, const ThresholdBook::Column& thresholds) {
  return track.detector == kDeviationDetector && !thresholds.trained;
}

/// Whether latencies are held against what they were before, as far as busy times tell it.
bool asks_past(const TrackJudgement& track, bool trained, const Parameters& parameters) {
  return track.metric->role == Role::kLatency && (!trained || parameters.hardware.when_trained);
}

}  // namespace

GroupFollower::GroupFollower(const Grouping& grouping, std::size_t group, const FollowOptions& options,
                             const std::vector<GroupJudge::Column>& columns)
    : grouping_(&grouping),
      group_(group),
      options_(&options),
      columns_(&columns),
      names_(names_of(grouping, grouping.groups[group])),
      neighbourhoods_(neighbourhoods_of(grouping, grouping.groups[group])),
      past_(names_.size(), options.parameters.hardware),
      history_(names_.size(), window_step(options.preset.windows)) {
  const bool has_latency = std::ranges::any_of(columns, [](const GroupJudge::Column& column) {
    return column.judged && column.metric->role == Role::kLatency;
  });
  if (has_latency && options.bias && options.parameters.policies.bias &&
      options.preset.windows.interval >= kLeastBiasInterval) {
    bias_.emplace(members(), options.parameters.bias);
  }
  if (options.learn && !second_only()) {
    own_history_.emplace(peers().name, names_, options.preset, options.parameters);
  }
  redundant_ = std::ranges::all_of(peers().members,
                                   [&](ComponentId id) { return grouping[id].priority.value_or(0) > 0; });
  if (redundant_) has_worked_.assign(members(), 0);
}

void GroupFollower::ask(const std::deque<GroupFollower>& all) {
  const PeerGroup& group = peers();
  for (std::size_t i = 0; i < group.double_with.size(); ++i) {
    auto& place = second_of_.emplace_back();
    if (!group.double_with[i]) continue;
    const auto& members = (*grouping_)[*group.double_with[i]].members;
    const auto member = std::ranges::find(members, group.members[i]);
    if (member == members.end()) continue;
    place = Place{&all[group.double_with[i]->index()].opinions_,
                  static_cast<std::size_t>(member - members.begin())};
  }
}

void GroupFollower::follow(const JudgedWindow& judged) {
  last_position_ = judged.window.position;
  last_end_ = judged.window.end;
  heed_repairs(judged.window.start);
  if (!second_only()) levels_ = std::make_shared<const LevelRows>(judged.window.levels);
  judge_tracks(judged);
  judge_bias(judged);
  judge_standby(judged);
  note_work(judged);
  // Who does nothing is sick whatever its server's other devices do.
  if (!second_only()) judge_absent(judged);
  leave_suspects_out_of_history(judged.window.end);
  levels_.reset();
  std::vector<const Anomaly*> anomalies;
  for (const AnomalyTracker& tracker : trackers_) {
    for (const Anomaly& anomaly : tracker.anomalies()) anomalies.push_back(&anomaly);
  }
  LevelBook book(*columns_, std::move(anomalies), neighbourhoods_);
  for (AnomalyTracker& tracker : trackers_) tracker.settle(book);
}

/// The largest of a member's levels of throughput, in any unit; missing where none was recorded.
double GroupFollower::moved_in(const JudgedWindow& judged, std::size_t member) const {
  double most = kMissing;
  for (std::size_t c = 0; c < columns_->size(); ++c) {
    if ((*columns_)[c].metric->role == Role::kThroughput)
      most = std::fmax(most, judged.window.levels[c][member]);
  }
  return most;
}

void GroupFollower::note_work(const JudgedWindow& judged) {
  for (std::size_t i = 0; i < has_worked_.size(); ++i) {
    if (moved_in(judged, i) > 0) has_worked_[i] = 1;
  }
}

void GroupFollower::remember(const JudgedWindow& judged, std::span<const double> slowdown) {
  const std::vector<double>* read = levels_of(*columns_, judged.window.levels, Quantity::kRead);
  past_.add(judged.window.position, slowdown, read == nullptr ? std::vector<double>{} : *read);
}

void GroupFollower::judge_tracks(const JudgedWindow& judged) {
  const WindowSpec& windows = options_->preset.windows;
  const double independent = static_cast<double>(windows.size) / static_cast<double>(windows.smoothing);
  const Parameters& parameters = options_->parameters;
  if (own_history_) own_history_->enter(judged.window.end);
  const ThresholdBook& book = own_history_ ? own_history_->book() : options_->thresholds;
  const std::optional<Load> load =
      own_history_ || book.trained() ? load_of(judged.window, *columns_) : std::nullopt;
  const std::vector<double> slowdown = slowdown_of(judged.window, *columns_);
  const bool has_past = !slowdown.empty() && !judged.window.idle && !second_only();
  if (has_past) remember(judged, slowdown);
  for (const TrackJudgement& track : judged.window.tracks) {
    ThresholdBook::Column thresholds = book.column({peers().name, *track.metric, track.regime, load,
                                                    track.detector, parameters, track.scale, independent},
                                                   names_);
    if (cannot_be_judged(track, thresholds)) continue;
    // No person has looked at these days: what excuses without training goes on excusing.
    if (own_history_) thresholds.trained = false;
    if (!thresholds.trained && track.metric->role == Role::kLatency) {
      const double saturated = saturated_threshold(parameters, {track.detector, track.regime, independent});
      ask_for_magnitude(slowdown, parameters, track.scale.at(saturated), thresholds.values);
    }
    ScoredTrack scored{.distance = track.distance,
                       .threshold = thresholds.values,
                       .below = track.below,
                       .trained = thresholds.trained};
    if (asks_past(track, thresholds.trained, parameters) && !slowdown.empty()) scored.past = &past_;
    feed(judged, track.metric, track.detector, std::move(scored));
    if (own_history_) learn(judged, track, load);
  }
  if (has_past) leave_sick_out_of_past(judged.window.end);
}

void GroupFollower::learn(const JudgedWindow& judged, const TrackJudgement& track, std::optional<Load> load) {
  const Parameters& parameters = options_->parameters;
  const WindowSpec& windows = options_->preset.windows;
  const double independent = static_cast<double>(windows.size) / static_cast<double>(windows.smoothing);
  const double untrained = track.scale.at(
      self_threshold(parameters, *track.metric, {track.detector, track.regime, independent, members()}));
  own_history_->learn(judged.window, track, load, *columns_, untrained);
}

/// What is sick now says nothing of how it is.
void GroupFollower::leave_sick_out_of_past(WallTime end) {
  for (const AnomalyTracker& tracker : trackers_) {
    for (const Anomaly& anomaly : tracker.anomalies()) {
      if (anomaly.confirmed() && anomaly.until == end) past_.leave_out(anomaly.member);
    }
  }
}

/// By any detector; what an anomaly gathers while it is not anomalous is not sure to be healthy.
void GroupFollower::leave_suspects_out_of_history(WallTime end) {
  if (!own_history_) return;
  for (const AnomalyTracker& tracker : trackers_) {
    for (const Anomaly& anomaly : tracker.anomalies()) {
      if (anomaly.until == end) own_history_->leave_out(anomaly.member);
    }
  }
}

void GroupFollower::finish() {
  heed_repairs(WallTime::max());
  if (own_history_) own_history_->end_day();
}

AnomalyTracker& GroupFollower::tracker(const MetricSpec* metric, const std::string& detector) {
  for (AnomalyTracker& tracker : trackers_) {
    if (&tracker.metric() == metric && tracker.detector() == detector) return tracker;
  }
  const Parameters& parameters = options_->parameters;
  AnomalyTracker::Options anomaly;
  anomaly.filter = parameters.filter;
  anomaly.filter.k = options_->preset.windows.k;
  anomaly.shift = options_->preset.windows.shift;
  anomaly.gate_severity = parameters.incidents.gate_severity;
  anomaly.confirm = {options_->preset.confirm_persistence, parameters.incidents.confirm_severity};
  const auto persistence = static_cast<std::int64_t>(parameters.surge_persistence);
  if (persistence > anomaly.confirm.persistence) {
    const double severity = std::min(anomaly.confirm.severity, parameters.incidents.gate_severity);
    anomaly.surge = {.factor = parameters.surge_factor, .confirm = {persistence, severity}};
  }
  // F filters over windows everywhere but for cwnd, whose long average does it.
  if (is_tested_each_second(parameters.policies, *metric)) anomaly.filter.k = 1;
  // S flags a server in any second.
  if (detector == kDeviationDetector) anomaly.filter.k = 1;
  if (detector == kBiasDetector) {
    // It gathers its evidence over hours and knows itself when that is enough.
    anomaly.filter.k = 1;
    anomaly.confirm = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<double>::infinity()};
    const BiasOptions& bias = parameters.bias;
    anomaly.longest_burst = bias.burst_blocks * bias.block_windows;
    anomaly.least_calm = bias.least_blocks * bias.block_windows;
    anomaly.relapse = static_cast<std::int64_t>(bias.blocks * bias.block_windows * anomaly.shift);
  }
  const auto column = std::ranges::find(*columns_, metric, &GroupJudge::Column::metric);
  if (column != columns_->end()) anomaly.column = static_cast<std::size_t>(column - columns_->begin());
  return trackers_.emplace_back(group_, members(), metric, detector, anomaly);
}

/// A member of double peer groups is anomalous only when it is so in both: what is slow beside all the others
/// of its server is slow itself, what is slow together with them is not (T §6.2.3). Where the second group
/// said nothing about this window, the first one decides alone.
void GroupFollower::clear_where_second_is_well(const JudgedWindow& judged, const MetricSpec* metric,
                                               const std::string& detector, ScoredTrack& track) const {
  for (std::size_t i = 0; i < second_of_.size(); ++i) {
    if (!second_of_[i]) continue;
    const SecondOpinions::Flags* flags = second_of_[i]->opinions->about(judged, metric, detector);
    if (flags != nullptr && (*flags)[second_of_[i]->member] == 0) {
      track.distance[i] = std::min(track.distance[i], 0.0);
    }
  }
}

void GroupFollower::feed(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector,
                         ScoredTrack track) {
  if (second_only()) {
    SecondOpinions::Flags flags;
    for (std::size_t i = 0; i < track.distance.size(); ++i) {
      flags.push_back(track.distance[i] > track.threshold[i] ? 1 : 0);
    }
    opinions_.add(judged, metric, detector, std::move(flags));
    return;
  }
  clear_where_second_is_well(judged, metric, detector, track);
  track.idle = metric->role == Role::kLatency && judged.window.idle;
  tracker(metric, detector).add(judged.window, levels_, track);
  std::vector<double> scores(track.distance.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = track.distance[i] / track.threshold[i];
  history_.add(judged.window.start, scores);
}

void GroupFollower::judge_bias(const JudgedWindow& judged) {
  const WindowJudgement& window = judged.window;
  if (!bias_ || window.active_latency.empty()) return;
  const MetricSpec* metric = (*columns_)[window.latency_column].metric;
  const BiasOptions& options = options_->parameters.bias;
  // What single requests took while the group was idle says nothing, here as for the distances: a few cheap
  // ones, such as a server's own work (T §5.8.2), change the mean of all.
  const auto verdicts = window.idle
                            ? bias_->verdicts()
                            : bias_->add(window.active_latency, window.slow_minutes, window.latency_floor);
  ScoredTrack track;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Bias& bias = verdicts[i];
    track.certain.push_back(bias.verdict == BiasVerdict::kConfirmed ? 1 : 0);
    track.reach.push_back(bias.windows);
    track.seen_for_long.push_back(bias.goes_on && is_seen_for_long(i) ? 1 : 0);
    track.distance.push_back(bias.goes_on ? bias.shift : 0);
    track.threshold.push_back(options.suspect_shift * kJustBelow);
  }
  for (const AnomalyTracker& other : trackers_) {
    if (other.detector() != kBiasDetector || &other.metric() == metric) continue;
    // What was found in another latency goes on in this one.
    ScoredTrack over = track;
    std::ranges::fill(over.certain, std::uint8_t{0});
    std::ranges::fill(over.distance, 0);
    feed(judged, &other.metric(), std::string(kBiasDetector), std::move(over));
  }
  feed(judged, metric, std::string(kBiasDetector), std::move(track));
}

/// Whether the distances see its latency, too, for longer than a burst lasts.
bool GroupFollower::is_seen_for_long(std::size_t member) const {
  const WindowSpec& windows = options_->preset.windows;
  const double least = options_->parameters.longest_transient_s +
                       to_seconds(windows.interval) * static_cast<double>(windows.size);
  return std::ranges::any_of(trackers_, [&](const AnomalyTracker& tracker) {
    return tracker.metric().role == Role::kLatency && tracker.detector() != kBiasDetector &&
           to_seconds(windows.interval * tracker.anomalous_cells(member)) > least;
  });
}

bool GroupFollower::has_tracker(std::string_view detector) const {
  return std::ranges::any_of(trackers_,
                             [&](const AnomalyTracker& tracker) { return tracker.detector() == detector; });
}

/// Where all attachments of a group have better ones before them and most do nothing, one that makes what it
/// gets wait for long in at least half of the samples is sick (T §5.7.3, 21.34.124): no peer works that it
/// could be compared with.
void GroupFollower::judge_standby(const JudgedWindow& judged) {
  const WindowJudgement& window = judged.window;
  if (!redundant_ || window.active_latency.empty()) return;
  if (!window.idle) return;
  const double least = options_->parameters.standby_ms;
  const bool any = std::ranges::any_of(window.active_latency, [&](double ms) { return ms >= least; });
  if (!any && !has_tracker(kStandbyDetector)) return;
  ScoredTrack track;
  for (const double ms : window.active_latency) track.distance.push_back(std::isnan(ms) ? 0 : ms);
  track.threshold.assign(track.distance.size(), least);
  feed(judged, (*columns_)[window.latency_column].metric, std::string(kStandbyDetector), std::move(track));
}

/// Who does nothing while most others work is sick. Of attachments that nobody need use, one that never did
/// anything is as it was, whatever its peers do now.
void GroupFollower::judge_absent(const JudgedWindow& judged) {
  const WindowJudgement& window = judged.window;
  const bool any = std::find(window.absent.begin(), window.absent.end(), 1) != window.absent.end();
  const auto throughput = std::ranges::find_if(
      *columns_, [](const GroupJudge::Column& column) { return column.metric->role == Role::kThroughput; });
  if (throughput == columns_->end() || !options_->parameters.policies.absence) return;
  if (!any && !has_tracker(kAbsentDetector)) return;
  ScoredTrack track;
  track.distance.resize(window.absent.size());
  std::transform(window.absent.begin(), window.absent.end(), track.distance.begin(),
                 [](std::uint8_t absent) { return absent != 0 ? 2.0 : 0.0; });
  for (std::size_t i = 0; i < has_worked_.size(); ++i) {
    const bool is_recorded = !std::isnan(moved_in(judged, i));
    if (has_worked_[i] == 0 && is_recorded) track.distance[i] = 0;
  }
  track.threshold.assign(track.distance.size(), 1);
  feed(judged, throughput->metric, std::string(kAbsentDetector), std::move(track));
}

/// Windows that hold samples from before a repair count against the old part.
void GroupFollower::heed_repairs(WallTime start) {
  const WallTime before = std::exchange(last_start_, start);
  const auto& members = peers().members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!options_->interventions.repaired(members[i].index(), before, start)) continue;
    for (AnomalyTracker& tracker : trackers_) tracker.repaired(i);
    if (bias_) bias_->repaired(i);
    past_.repaired(i);
    if (own_history_) own_history_->repaired(i);
  }
}

GroupAnomalies GroupFollower::anomalies() const {
  GroupAnomalies group;
  group.columns = *columns_;
  group.neighbourhoods = neighbourhoods_;
  const auto patience =
      static_cast<std::int64_t>(options_->preset.windows.k * options_->preset.windows.shift);
  for (const AnomalyTracker& tracker : trackers_) {
    for (const Anomaly& anomaly : tracker.anomalies()) {
      group.anomalies.push_back(&anomaly);
      const bool still_faulty = tracker.states()[anomaly.member].faulty || anomaly.until == last_end_;
      const bool recent = last_position_ - anomaly.last_position < patience;
      const bool repaired = options_->interventions.repaired(peers().members[anomaly.member].index(),
                                                             anomaly.since, WallTime::max());
      group.open.push_back(still_faulty && recent && !repaired ? 1 : 0);
    }
  }
  return group;
}

std::size_t GroupFollower::kept() const {
  std::size_t count = 0;
  for (const AnomalyTracker& tracker : trackers_) count += tracker.anomalies().size();
  return count;
}

void GroupFollower::forget(std::span<const std::uint8_t> keep) {
  for (AnomalyTracker& tracker : trackers_) {
    const std::size_t count = tracker.anomalies().size();
    tracker.forget(keep.first(count));
    keep = keep.subspan(count);
  }
}

std::optional<ScoreMap> GroupFollower::score_map() const {
  if (columns_->empty() || second_only()) return std::nullopt;
  return history_.to_map(peers().name, names_);
}

}  // namespace laggard::detect
