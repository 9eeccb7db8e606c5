#include "detect/peer/judge/own_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/missing.h"
#include "base/state_codec.h"
#include "detect/peer/judge/metric_state.h"
#include "detect/peer/judge/track_training.h"

namespace laggard::detect {

namespace {

constexpr Duration kDay = std::chrono::hours(24);

/// Less of a day teaches together with the next one: a few minutes before midnight are no day.
constexpr Duration kLeastOfDay = std::chrono::hours(2);

/// More than any version has of one group: metrics times detectors, regimes and loads.
constexpr std::size_t kMostTracks = 10'000;

}  // namespace

OwnHistory::OwnHistory(std::string group, std::vector<std::string> members, const Preset& preset,
                       const Parameters& parameters)
    : group_(std::move(group)),
      members_(std::move(members)),
      preset_(preset),
      policies_(parameters.policies),
      half_life_days_(parameters.history_half_life_days),
      left_out_(members_.size(), 0) {
  // What must not be called faulty is k of 2k-1 windows, here also where `train` looks at single ones: half
  // of a day's largest single distances are chance.
  preset_.form = TrainingForm::kFiltered;
}

OwnHistory::Track& OwnHistory::track(const Key& key, const MetricSpec& metric, const std::string& all_loads) {
  const auto known = tracks_.find(key);
  if (known != tracks_.end()) return known->second;
  const bool by_load = key.first != all_loads;
  const TrainingSpec spec = training_spec(preset_, policies_, metric, key.second, by_load);
  Track track{&metric, by_load, all_loads, spec, ThresholdTrainer(spec, members_.size()), 0, 0, {}};
  track.levels.assign(members_.size(), kMissing);
  return tracks_.emplace(key, std::move(track)).first->second;
}

void OwnHistory::enter(WallTime end) {
  const std::int64_t day = to_unix_ns(floor_to(end - Duration{1}, kDay)) / kDay.count();
  if (day_ && day > *day_ && recorded_today_ >= kLeastOfDay) end_day();
  recorded_today_ += preset_.windows.interval * static_cast<std::int64_t>(preset_.windows.shift);
  day_ = std::max(day_.value_or(day), day);
}

void OwnHistory::learn(const WindowJudgement& window, const TrackJudgement& judgement,
                       std::optional<Load> load, std::span<const GroupJudge::Column> columns,
                       double ceiling) {
  std::vector<double> shown = shown_distances(columns, window, judgement);
  for (double& distance : shown) {
    if (distance > ceiling) distance = ceiling;
  }
  const auto learn_as = [&](const std::string& name, const std::string& all_loads) {
    Track& learnt = track({name, judgement.detector}, *judgement.metric, all_loads);
    learnt.today.add(window.index, shown);
    ++learnt.windows_today;
  };
  const std::string name = track_name(*judgement.metric, judgement.regime);
  learn_as(name, name);
  if (load && judgement.regime != Regime::kAny) {
    learn_as(track_name(*judgement.metric, judgement.regime, load), name);
  }
  if (!today_) today_ = Span{window.start, window.end};
  today_->to = std::max(today_->to, window.end);
}

void OwnHistory::repaired(std::size_t member) {
  left_out_[member] = 0;
  for (auto& [key, track] : tracks_) {
    track.levels[member] = kMissing;
    track.today.forget(member);
  }
  if (span_) write_book();
}

/// \param kept  what is left of a level that was learnt with the last day that was folded.
void OwnHistory::fold(Track& track, double kept) const {
  track.today.end_recording();
  const std::span<const double> largest = track.today.floors();
  const std::span<const std::uint8_t> trained = track.today.trained();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    track.levels[i] *= kept;
    if (trained[i] != 0 && left_out_[i] == 0) track.levels[i] = std::fmax(track.levels[i], largest[i]);
  }
  const double overlap =
      static_cast<double>(preset_.windows.shift) / static_cast<double>(preset_.windows.size);
  track.windows = track.windows * kept + track.windows_today * overlap;
  track.windows_today = 0;
  track.today = ThresholdTrainer(track.spec, members_.size());
}

void OwnHistory::end_day() {
  if (!today_) return;
  const double days = folded_ ? static_cast<double>(*day_ - *folded_) : 0;
  const double kept = std::exp2(-days / half_life_days_);
  for (auto& [key, track] : tracks_) fold(track, kept);
  std::ranges::fill(left_out_, 0);
  folded_ = day_;
  span_ = Span{span_ ? span_->from : today_->from, today_->to};
  today_.reset();
  recorded_today_ = {};
  write_book();
}

/// Of all members; NaN when nothing is known of any.
double OwnHistory::largest(const Track& track) const {
  double largest = kMissing;
  for (const double level : track.levels) largest = std::fmax(largest, level);
  return largest;
}

void OwnHistory::write_book() {
  Thresholds thresholds;
  for (const auto& [key, track] : tracks_) {
    const double most = largest(track);
    if (std::isnan(most)) continue;
    // Thresholds of a load that are not below those of all loads are not used.
    if (track.by_load && !(most < largest(tracks_.at({track.all_loads, key.second})))) continue;
    GroupThresholds& group = thresholds.groups.emplace_back();
    group.distance = key.second;
    group.metric = key.first;
    group.group = group_;
    group.windows = track.windows;
    group.others = learnt_threshold(track.spec, policies_, *track.metric, most);
    if (track.metric->role == Role::kCongestion) continue;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (std::isnan(track.levels[i])) continue;
      group.components[members_[i]] = learnt_threshold(track.spec, policies_, *track.metric, track.levels[i]);
    }
  }
  book_ = ThresholdBook(std::move(thresholds));
}

template <class State, class Self>
void OwnHistory::Span::exchange(State& state, Self& self) {
  state(self.from, self.to);
}

template <class State, class Self>
void OwnHistory::exchange(State& state, Self& self) {
  std::int64_t recorded = self.recorded_today_.count();
  state(self.day_, self.folded_, recorded);
  if constexpr (State::kRestores) self.recorded_today_ = Duration(recorded);
  state(self.today_, self.span_);
  state.numbers(self.left_out_, self.members_.size());
  state.require(self.left_out_.size() == self.members_.size());
  exchange_tracks(state, self);
  if constexpr (State::kRestores) {
    if (state.ok() && self.span_) self.write_book();
  }
}

template <class State, class Self>
void OwnHistory::exchange_tracks(State& state, Self& self) {
  std::size_t count = self.tracks_.size();
  state(count);
  state.require(count <= kMostTracks);
  auto next = self.tracks_.begin();
  for (std::size_t t = 0; t < count; ++t) {
    Key key;
    const MetricSpec* metric = nullptr;
    std::string all_loads;
    if constexpr (!State::kRestores) {
      key = next->first;
      metric = next->second.metric;
      all_loads = next->second.all_loads;
    }
    state(key.first, key.second, all_loads);
    exchange_metric(state, metric);
    if constexpr (State::kRestores) {
      if (!state.ok()) return;
      self.track(key, *metric, all_loads);
      next = self.tracks_.find(key);
    }
    auto& track = (next++)->second;
    state(track.windows_today, track.windows, track.today);
    state.numbers(track.levels, self.members_.size());
    state.require(track.levels.size() == self.members_.size());
  }
}
template void OwnHistory::exchange(StateWriter&, const OwnHistory&);
template void OwnHistory::exchange(StateReader&, OwnHistory&);

}  // namespace laggard::detect
