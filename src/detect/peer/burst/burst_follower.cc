#include "detect/peer/burst/burst_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/state_codec.h"
#include "detect/peer/judge/metric_state.h"

namespace laggard::detect {

namespace {

/// These show where it began.
constexpr std::size_t kMostShown = 100;
/// Of a group in one metric; the oldest go first.
constexpr std::size_t kMostRecent = 512;
/// A finding speaks for itself and explains away nobody else's (RatioFollower).
constexpr double kMostStrength = 2;

}  // namespace

double by_chance(std::size_t n, std::size_t k, std::size_t all) {
  LAGGARD_CHECK(n >= 1 && k <= all);
  const auto p = 1 / static_cast<double>(n);
  const auto trials = static_cast<double>(all);
  double tail = 0;
  for (std::size_t i = k; i <= all; ++i) {
    const auto x = static_cast<double>(i);
    const double ways = std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1);
    const double misses = n == 1 ? 0 : (trials - x) * std::log1p(-p);
    if (n > 1 || i == all) tail += std::exp(ways + x * std::log(p) + misses);
  }
  return std::min(1.0, static_cast<double>(n) * tail);
}

std::size_t BurstFollower::component(const Subject& subject) const {
  return grouping_.groups[subject.group].members[subject.member].index();
}

BurstFollower::Found* BurstFollower::latest(const Subject& subject) {
  const auto found = std::find_if(findings_.rbegin(), findings_.rend(), [&](const Found& one) {
    return one.subject.group == subject.group && one.subject.member == subject.member &&
           one.subject.metric == subject.metric;
  });
  return found == findings_.rend() ? nullptr : &*found;
}

/// What lies beyond the horizon, and what was before the member was repaired.
void BurstFollower::forget_old(const Subject& subject, Recent& recent, std::int64_t position,
                               std::int64_t cell) const {
  std::erase_if(recent, [&](const Burst& burst) {
    if (position - burst.last > options_.horizon) return true;
    const Subject of{subject.group, burst.member, subject.metric};
    return interventions_.repaired(component(of), end(burst), options_.grid.end(cell));
  });
  while (recent.size() >= kMostRecent) recent.pop_front();
}

/// Whether the cell belongs to a burst that is known, which becomes longer then.
bool BurstFollower::goes_on(const Subject& subject, Recent& recent, const SlowMember& burst,
                            std::int64_t position) {
  const auto known = std::find_if(recent.rbegin(), recent.rend(), [&](const Burst& one) {
    return one.member == burst.member && position - one.last <= options_.pause;
  });
  if (known == recent.rend()) return false;
  Found* found = latest(subject);
  const bool is_told = found != nullptr && found->finding.last == known->last;
  known->last = position;
  known->last_cell = burst.cell;
  if (is_told) {
    found->finding.last = position;
    found->finding.until = end(*known);
  }
  if (burst.latency <= known->value) return true;
  if (is_told) {
    found->value += burst.latency - known->value;
    found->peers += burst.peers - known->peers;
  }
  known->value = burst.latency;
  known->peers = burst.peers;
  return true;
}

bool BurstFollower::add(const SlowMember& burst, std::int64_t position) {
  const Subject subject{burst.group, burst.member, burst.metric};
  Recent& recent = recent_[{burst.group, burst.metric}];
  forget_old(subject, recent, position, burst.cell);
  if (goes_on(subject, recent, burst, position)) return false;
  recent.push_back({burst.member, position, position, burst.cell, burst.cell, burst.latency, burst.peers});
  return judge(subject, recent);
}

BurstFollower::Found BurstFollower::make(const Subject& subject) const {
  Found found{.subject = subject, .finding = {}};
  Finding& finding = found.finding;
  finding.component = component(subject);
  finding.resource = subject.metric->resource;
  finding.role = subject.metric->role;
  finding.symptom = subject.metric->role == Role::kRetransmission ? Symptom::kError : Symptom::kSlower;
  finding.trained = options_.trained;
  finding.evidence.source = subject.metric->witness();
  finding.evidence.metric = subject.metric->name;
  finding.evidence.component = grouping_.components[finding.component].name;
  finding.evidence.detector = kBurstDetector;
  finding.evidence.unit = subject.metric->unit;
  finding.evidence.threshold = static_cast<double>(options_.burst.least_bursts);
  return found;
}

void BurstFollower::extend(Found& found, const Burst& burst) const {
  Finding& finding = found.finding;
  if (found.bursts == 0) {
    finding.since = start(burst);
    finding.first = burst.first;
  } else {
    found.longest_pause = std::max(found.longest_pause, burst.first - finding.last);
  }
  found.bursts += 1;
  found.value += burst.value;
  found.peers += burst.peers;
  finding.last = burst.last;
  finding.until = end(burst);
  if (finding.evidence.windows.size() < kMostShown) finding.evidence.windows.push_back(start(burst));
}

/// By the bursts of the past horizon. \return whether it is confirmed by them and was not before.
bool BurstFollower::rate(Found& found, const Recent& recent, WallTime now) const {
  const auto own = static_cast<std::size_t>(std::ranges::count(recent, found.subject.member, &Burst::member));
  const std::size_t members = grouping_.groups[found.subject.group].members.size();
  found.others = static_cast<double>(recent.size() - own);
  found.chance = std::min(found.chance, by_chance(members, own, recent.size()));
  if (found.finding.confirmed() || found.chance >= options_.burst.confirm) return false;
  found.finding.confirmed_since = now;
  return true;
}

/// After a burst of this member, the newest of all.
bool BurstFollower::judge(const Subject& subject, const Recent& recent) {
  const Burst& newest = recent.back();
  Found* known = latest(subject);
  if (known != nullptr && newest.first - known->finding.last <= options_.horizon) {
    extend(*known, newest);
    return rate(*known, recent, end(newest));
  }
  const auto own = static_cast<std::size_t>(std::ranges::count(recent, subject.member, &Burst::member));
  const std::size_t members = grouping_.groups[subject.group].members.size();
  if (own < options_.burst.least_bursts || by_chance(members, own, recent.size()) >= options_.burst.suspect) {
    return false;
  }
  Found& found = findings_.emplace_back(make(subject));
  for (const Burst& burst : recent) {
    if (burst.member == subject.member) extend(found, burst);
  }
  Finding& finding = found.finding;
  finding.faulty_since = end(newest);
  finding.opened = {finding.faulty_since, finding.symptom};
  static_cast<void>(rate(found, recent, end(newest)));
  return true;
}

std::vector<Finding> BurstFollower::findings(std::int64_t now) const {
  std::vector<Finding> findings;
  for (const Found& found : findings_) {
    Finding& finding = findings.emplace_back(found.finding);
    finding.open = now - finding.last <= 3 * found.longest_pause &&
                   !interventions_.repaired(finding.component, finding.since, WallTime::max());
    const double score = std::log10(found.chance) / std::log10(options_.burst.suspect);
    finding.strength = std::min(score, kMostStrength);
    finding.severity = std::log2(found.bursts);
    Evidence& evidence = finding.evidence;
    evidence.distance = found.bursts;
    evidence.score = score;
    evidence.level = found.value / found.bursts;
    evidence.peers = found.peers / found.bursts;
    const std::size_t others = grouping_.groups[found.subject.group].members.size() - 1;
    evidence.note = fmt::format("{} times for a moment, its {} peers together {} times", found.bursts, others,
                                found.others);
    finding.facts.push_back({&kBursts, found.bursts, found.others / static_cast<double>(others)});
  }
  return findings;
}

void BurstFollower::forget(std::span<const std::uint8_t> keep) {
  LAGGARD_CHECK(keep.size() == findings_.size());
  std::size_t kept = 0;
  for (std::size_t f = 0; f < keep.size(); ++f) {
    if (keep[f] == 0) continue;
    if (kept < f) findings_[kept] = std::move(findings_[f]);
    ++kept;
  }
  findings_.resize(kept);
}

// What it saves and restores.

bool BurstFollower::has(std::size_t group, std::size_t member) const {
  return group < grouping_.groups.size() && member < grouping_.groups[group].members.size();
}

template <class State, class Self, class One>
void BurstFollower::exchange_found(State& state, Self& self, One& found) {
  state(found.subject.group, found.subject.member);
  exchange_metric(state, found.subject.metric);
  state.require(self.has(found.subject.group, found.subject.member));
  if (!state.ok()) return;
  if constexpr (State::kRestores) found = self.make(found.subject);
  auto& finding = found.finding;
  state(finding.since, finding.faulty_since, finding.until, finding.first, finding.last,
        finding.confirmed_since);
  if constexpr (State::kRestores) finding.opened = {finding.faulty_since, finding.symptom};
  state.times(finding.evidence.windows, kMostShown);
  state(found.longest_pause, found.bursts, found.others, found.value, found.peers, found.chance);
}

template <class State, class Self>
void BurstFollower::exchange_recent(State& state, Self& self) {
  std::size_t count = self.recent_.size();
  state(count);
  auto next = self.recent_.begin();
  for (std::size_t t = 0; t < count && state.ok(); ++t) {
    std::pair<std::size_t, const MetricSpec*> whose;
    Recent recent;
    if constexpr (!State::kRestores) std::tie(whose, recent) = *next++;
    state(whose.first);
    exchange_metric(state, whose.second);
    std::size_t bursts = recent.size();
    state(bursts);
    state.require(bursts <= kMostRecent);
    if constexpr (State::kRestores) recent.resize(state.ok() ? bursts : 0);
    for (Burst& burst : recent) {
      state(burst);
      state.require(self.has(whose.first, burst.member));
    }
    if constexpr (State::kRestores) self.recent_.insert_or_assign(whose, std::move(recent));
  }
}

template <class State, class Self>
void BurstFollower::exchange(State& state, Self& self) {
  std::size_t count = self.findings_.size();
  state(count);
  for (std::size_t f = 0; f < count && state.ok(); ++f) {
    if constexpr (State::kRestores) self.findings_.emplace_back();
    exchange_found(state, self, self.findings_[f]);
  }
  exchange_recent(state, self);
}
template void BurstFollower::exchange(StateWriter&, const BurstFollower&);
template void BurstFollower::exchange(StateReader&, BurstFollower&);

}  // namespace laggard::detect
