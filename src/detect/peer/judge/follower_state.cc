// What group followers save and restore.
#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/state_codec.h"
#include "detect/peer/judge/group_follower.h"
#include "detect/peer/judge/metric_state.h"

namespace laggard::detect {

namespace {

/// More than any version follows of one group: metrics times detectors.
constexpr std::size_t kMostTracked = 1000;

}  // namespace

template <class State, class Self>
void SecondOpinions::Opinion::exchange(State& state, Self& self, std::size_t members) {
  state(self.cell, self.window);
  std::size_t count = self.flags.size();
  state(count);
  state.require(count <= kMostTracked);
  auto next = self.flags.begin();
  for (std::size_t f = 0; f < count; ++f) {
    const MetricSpec* metric = nullptr;
    std::string detector;
    Flags flags;
    if constexpr (!State::kRestores) {
      std::tie(metric, detector) = next->first;
      flags = (next++)->second;
    }
    exchange_metric(state, metric);
    state(detector);
    state.numbers(flags, members);
    state.require(flags.size() == members);
    if constexpr (State::kRestores) {
      if (!state.ok()) return;
      self.flags.insert_or_assign({metric, detector}, std::move(flags));
    }
  }
}

template <class State, class Self>
void SecondOpinions::exchange(State& state, Self& self, std::size_t members) {
  std::size_t count = self.opinions_.size();
  state(count);
  state.require(count <= 1);
  if constexpr (State::kRestores) self.opinions_.resize(state.ok() ? count : 0);
  for (auto& opinion : self.opinions_) Opinion::exchange(state, opinion, members);
}

/// First which ones there are, then the windows that they remember, then each.
template <class State, class Self>
void GroupFollower::exchange_trackers(State& state, Self& self) {
  std::size_t count = self.trackers_.size();
  state(count);
  state.require(count <= kMostTracked);
  for (std::size_t t = 0; t < count; ++t) {
    const MetricSpec* metric = nullptr;
    std::string detector;
    if constexpr (!State::kRestores) {
      metric = &self.trackers_[t].metric();
      detector = self.trackers_[t].detector();
    }
    exchange_metric(state, metric);
    state(detector);
    if constexpr (State::kRestores) {
      if (!state.ok()) return;
      self.tracker(metric, detector);
      state.require(self.trackers_.size() == t + 1);
    }
  }
  TrackedGroup group{.columns = self.columns_->size(), .members = self.members()};
  if constexpr (!State::kRestores) {
    for (const AnomalyTracker& tracker : self.trackers_) tracker.list_recent(group);
  }
  group.exchange_recent(state, 2 * self.options_->preset.windows.k * count);
  for (auto& tracker : self.trackers_) AnomalyTracker::exchange(state, tracker, group);
}

template <class State, class Self>
void GroupFollower::exchange(State& state, Self& self) {
  state(self.last_position_, self.last_end_, self.last_start_);
  SecondOpinions::exchange(state, self.opinions_, self.members());
  if (self.bias_) state(*self.bias_);
  state(self.past_);
  if (self.own_history_) state(*self.own_history_);
  state.numbers(self.has_worked_, self.members());
  state.require(self.has_worked_.size() == (self.redundant_ ? self.members() : 0));
  exchange_trackers(state, self);
}
template void GroupFollower::exchange(StateWriter&, const GroupFollower&);
template void GroupFollower::exchange(StateReader&, GroupFollower&);

}  // namespace laggard::detect
