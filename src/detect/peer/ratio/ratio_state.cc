// What the follower of latency ratios saves and restores.
#include <tuple>
#include <utility>

#include "base/state_codec.h"
#include "detect/peer/judge/metric_state.h"
#include "detect/peer/ratio/ratio_follower.h"

namespace laggard::detect {

namespace {

/// More windows than evidence shows, and more than a member has among the past 2k-1.
constexpr std::size_t kMostWindowsShown = 1000;

}  // namespace

bool RatioFollower::has(std::size_t group, std::size_t member) const {
  return group < grouping_.groups.size() && member < grouping_.groups[group].members.size();
}

/// Whose it is, is known.
template <class State, class One>
void RatioFollower::exchange_seen(State& state, One& seen) {
  auto& slow = seen.slow;
  state(seen.position, slow.cell, slow.latency, slow.peers, slow.ratio, slow.moved, slow.moved_by_peers,
        slow.moved_scatter);
  exchange_metric(state, slow.metric);
}

template <class State, class Self, class One>
void RatioFollower::exchange_found(State& state, Self& self, One& found) {
  state(found.group, found.member);
  exchange_metric(state, found.metric);
  state.require(self.has(found.group, found.member));
  if (!state.ok()) return;
  if constexpr (State::kRestores) found = self.found(found.group, found.member, *found.metric);
  auto& finding = found.finding;
  state(finding.since, finding.faulty_since, finding.until, finding.first, finding.last);
  if constexpr (State::kRestores) finding.opened = {finding.faulty_since, Symptom::kSlower};
  auto& evidence = finding.evidence;
  state.times(evidence.windows, kMostWindowsShown);
  state(evidence.worst_window, evidence.distance, evidence.threshold, evidence.score);
  state.numbers(found.best, self.options_.k);
  state.require(!found.best.empty());
  state(found.windows, found.latency, found.peers, found.moved, found.moved_by_peers, found.moved_scatter);
}

template <class State, class Self>
void RatioFollower::exchange_tracks(State& state, Self& self) {
  std::size_t count = self.tracks_.size();
  state(count);
  auto next = self.tracks_.begin();
  for (std::size_t t = 0; t < count && state.ok(); ++t) {
    std::pair<std::size_t, std::size_t> whose;
    Track track;
    if constexpr (!State::kRestores) std::tie(whose, track) = *next++;
    state(whose.first, whose.second, track.latest);
    state.require(self.has(whose.first, whose.second) &&
                  (!track.latest || *track.latest < self.findings_.size()));
    std::size_t windows = track.recent.size();
    state(windows);
    state.require(windows < 2 * self.options_.k);
    if constexpr (State::kRestores) track.recent.resize(state.ok() ? windows : 0);
    for (Seen& seen : track.recent) {
      exchange_seen(state, seen);
      std::tie(seen.slow.group, seen.slow.member) = whose;
    }
    if constexpr (State::kRestores) self.tracks_.insert_or_assign(whose, std::move(track));
  }
}

template <class State, class Self>
void RatioFollower::exchange(State& state, Self& self) {
  std::size_t count = self.findings_.size();
  state(count);
  for (std::size_t f = 0; f < count && state.ok(); ++f) {
    if constexpr (State::kRestores) self.findings_.emplace_back();
    exchange_found(state, self, self.findings_[f]);
  }
  exchange_tracks(state, self);
}
template void RatioFollower::exchange(StateWriter&, const RatioFollower&);
template void RatioFollower::exchange(StateReader&, RatioFollower&);

}  // namespace laggard::detect
