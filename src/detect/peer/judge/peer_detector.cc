#include "detect/peer/judge/peer_detector.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/text.h"

namespace laggard::detect {

PeerDetector::PeerDetector(const Grouping& grouping, FollowOptions options, std::span<const Columns> columns,
                           Workers* workers)
    : grouping_(grouping), options_(std::move(options)), columns_(columns), workers_(workers) {
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    followers_.emplace_back(grouping, g, options_, columns_[g]);
    (followers_.back().second_only() ? seconds_ : firsts_).push_back(g);
  }
  for (GroupFollower& follower : followers_) follower.ask(followers_);
  for (std::vector<std::size_t>* groups : {&seconds_, &firsts_}) {
    std::ranges::stable_sort(*groups, std::greater(), [&](std::size_t g) { return followers_[g].members(); });
  }
}

void PeerDetector::follow(std::span<const JudgedWindow> windows) {
  std::vector<std::vector<const JudgedWindow*>> of_group(followers_.size());
  for (const JudgedWindow& one : windows) of_group[one.group].push_back(&one);
  for (const std::vector<std::size_t>* groups : {&seconds_, &firsts_}) {
    run_all(workers_, groups->size(), [&](std::size_t i) {
      const std::size_t g = (*groups)[i];
      for (const JudgedWindow* one : of_group[g]) followers_[g].follow(*one);
    });
  }
  for (const std::size_t g : seconds_) followers_[g].end_run();
}

void PeerDetector::finish() {
  for (GroupFollower& follower : followers_) follower.finish();
}

std::vector<Finding> PeerDetector::findings() const {
  std::vector<GroupAnomalies> groups;
  for (const GroupFollower& follower : followers_) groups.push_back(follower.anomalies());
  return peer_findings(grouping_, groups);
}

std::size_t PeerDetector::kept() const {
  std::size_t count = 0;
  for (const GroupFollower& follower : followers_) count += follower.kept();
  return count;
}

void PeerDetector::forget(std::span<const std::uint8_t> keep) {
  for (GroupFollower& follower : followers_) {
    const std::size_t count = follower.kept();
    follower.forget(keep.first(count));
    keep = keep.subspan(count);
  }
}

std::vector<RankedComponent> PeerDetector::ranking() const {
  std::map<std::string, RankedComponent> best;
  for (const GroupFollower& follower : followers_) {
    const PeerGroup& group = follower.peers();
    for (const AnomalyTracker& tracker : follower.trackers()) {
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

std::vector<ScoreMap> PeerDetector::score_maps() const {
  std::vector<ScoreMap> maps;
  for (const GroupFollower& follower : followers_) {
    if (auto map = follower.score_map()) maps.push_back(std::move(*map));
  }
  return maps;
}

std::optional<Thresholds> PeerDetector::learnt() const {
  Thresholds all;
  std::optional<OwnHistory::Span> span;
  for (const GroupFollower& follower : followers_) {
    const OwnHistory* const history = follower.own_history();
    if (history == nullptr || !history->span()) continue;
    if (!span) span = history->span();
    span->from = std::min(span->from, history->span()->from);
    span->to = std::max(span->to, history->span()->to);
    const auto& groups = history->book().thresholds().groups;
    all.groups.insert(all.groups.end(), groups.begin(), groups.end());
  }
  if (!span) return std::nullopt;
  all.header.preset = options_.preset.name;
  all.header.windows = options_.preset.windows;
  all.header.factor = options_.preset.factor;
  all.header.from = span->from;
  all.header.to = span->to;
  return all;
}

std::optional<WallTime> PeerDetector::learnt_until() const {
  std::optional<WallTime> until;
  for (const GroupFollower& follower : followers_) {
    const OwnHistory* const history = follower.own_history();
    if (history != nullptr && history->span()) {
      until = std::max(until.value_or(WallTime::min()), history->span()->to);
    }
  }
  return until;
}

std::set<std::string> PeerDetector::metrics() const {
  std::set<std::string> metrics;
  for (const Columns& columns : columns_) {
    for (const GroupJudge::Column& column : columns) {
      if (column.judged) metrics.insert(std::string(column.metric->name));
    }
  }
  return metrics;
}

}  // namespace laggard::detect
