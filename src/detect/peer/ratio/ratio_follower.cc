#include "detect/peer/ratio/ratio_follower.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/state_codec.h"
#include "detect/peer/judge/anomalies.h"
#include "detect/peer/judge/metric_state.h"

namespace laggard::detect {

namespace {

/// A long fault has thousands of short windows; these show where it began.
constexpr std::size_t kMostShown = 100;

}  // namespace

/// How far apart, in cells, the first and the last of 2k-1 windows are.
std::int64_t RatioFollower::reach() const {
  return static_cast<std::int64_t>(2 * options_.k - 2) * options_.windows.shift;
}

WallTime RatioFollower::start(const SlowMember& slow) const {
  return options_.grid.end(slow.cell - options_.windows.size);
}

bool RatioFollower::add(const SlowMember& slow, std::int64_t position) {
  Track& track = tracks_[{slow.group, slow.member}];
  const std::size_t component = grouping_.groups[slow.group].members[slow.member].index();
  if (!track.recent.empty() &&
      interventions_.repaired(component, start(track.recent.back().slow), start(slow))) {
    track = {};
  }
  std::erase_if(track.recent, [&](const Seen& seen) { return position - seen.position > reach(); });
  const bool goes_on = track.latest && !track.recent.empty() &&
                       findings_[*track.latest].finding.last == track.recent.back().position;
  track.recent.push_back({slow, position});
  if (goes_on) {
    extend(findings_[*track.latest], track.recent.back());
    return false;
  }
  if (track.recent.size() < options_.k) return false;
  open(track);
  return true;
}

/// What does not change of a finding about a member.
RatioFollower::Found RatioFollower::found(std::size_t group, std::size_t member,
                                          const MetricSpec& metric) const {
  const ComponentId component = grouping_.groups[group].members[member];
  Found found{.group = group, .member = member, .metric = &metric, .finding = {}, .best = {}};
  Finding& finding = found.finding;
  finding.component = component.index();
  finding.resource = metric.resource;
  finding.role = metric.role;
  finding.trained = options_.trained;
  finding.evidence.source = metric.witness();
  finding.evidence.metric = metric.name;
  finding.evidence.component = grouping_[component].name;
  finding.evidence.detector = kRatioDetector;
  finding.evidence.unit = metric.unit;
  return found;
}

/// With all windows that speak for it; a finding of which the last window is not long ago goes on instead.
void RatioFollower::open(Track& track) {
  const Seen& now = track.recent.back();
  const bool same =
      track.latest && track.recent.front().position - findings_[*track.latest].finding.last <= options_.pause;
  if (!same) {
    Found found = this->found(now.slow.group, now.slow.member, *now.slow.metric);
    Finding& finding = found.finding;
    finding.since = start(track.recent.front().slow);
    finding.faulty_since = options_.grid.end(now.slow.cell);
    finding.opened = {finding.faulty_since, Symptom::kSlower};
    finding.first = track.recent.front().position;
    track.latest = findings_.size();
    findings_.push_back(std::move(found));
  }
  for (const Seen& seen : track.recent) extend(findings_[*track.latest], seen);
}

void RatioFollower::extend(Found& found, const Seen& seen) const {
  const SlowMember& slow = seen.slow;
  const double score = slow.latency / (slow.ratio * slow.peers);
  found.best.push_back(score);
  std::ranges::sort(found.best, std::greater<>());
  if (found.best.size() > options_.k) found.best.pop_back();
  found.windows += 1;
  found.latency += slow.latency;
  found.peers += slow.peers;
  found.moved += slow.moved;
  found.moved_by_peers += slow.moved_by_peers;
  found.moved_scatter += slow.moved_scatter;
  Finding& finding = found.finding;
  finding.last = seen.position;
  finding.until = options_.grid.end(slow.cell);
  Evidence& evidence = finding.evidence;
  if (evidence.windows.size() < kMostShown) evidence.windows.push_back(start(slow));
  if (score <= evidence.score) return;
  evidence.score = score;
  evidence.distance = slow.latency / slow.peers;
  evidence.threshold = slow.ratio;
  evidence.worst_window = start(slow);
}

std::vector<Finding> RatioFollower::findings(std::int64_t now) const {
  std::vector<Finding> findings;
  for (const Found& found : findings_) {
    Finding& finding = findings.emplace_back(found.finding);
    // From the window's start to its last cell, and the windows that were not slow since.
    const std::int64_t most = options_.windows.size - 1 + reach();
    finding.open = now - finding.last <= most &&
                   !interventions_.repaired(finding.component, finding.since, WallTime::max());
    finding.strength = std::min(found.best.back(), options_.most_strength);
    finding.severity = std::log2(found.best.back());
    finding.evidence.level = found.latency / found.windows;
    finding.evidence.peers = found.peers / found.windows;
    if (!std::isnan(found.moved)) {
      finding.facts.push_back({&kStorageMoved, found.moved / found.windows,
                               found.moved_by_peers / found.windows, found.moved_scatter / found.windows});
    }
  }
  return findings;
}

void RatioFollower::forget(std::span<const std::uint8_t> keep) {
  LAGGARD_CHECK(keep.size() == findings_.size());
  std::vector<std::optional<std::size_t>> place(keep.size());
  std::size_t kept = 0;
  for (std::size_t f = 0; f < keep.size(); ++f) {
    if (keep[f] == 0) continue;
    if (kept < f) findings_[kept] = std::move(findings_[f]);
    place[f] = kept++;
  }
  findings_.resize(kept);
  for (auto at = tracks_.begin(); at != tracks_.end();) {
    std::optional<std::size_t>& latest = at->second.latest;
    const bool found = latest.has_value();
    if (found) latest = place[*latest];
    at = found && !latest ? tracks_.erase(at) : std::next(at);
  }
}

// What it saves and restores.

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
