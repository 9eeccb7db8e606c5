#include "detect/peer/judge/level_book.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/missing.h"

namespace laggard::detect {

namespace {

std::vector<double> total_of(const LevelSums& sums, std::span<const std::size_t> columns) {
  std::vector<double> total;
  for (const std::size_t c : columns) {
    const std::vector<double> means = sums.means(c);
    if (total.empty()) total.assign(means.size(), 0);
    for (std::size_t i = 0; i < means.size(); ++i) total[i] += means[i];
  }
  return total;
}

}  // namespace

Neighbourhoods neighbourhoods_of(const Grouping& grouping, const PeerGroup& group) {
  std::map<Part, std::size_t> numbers;
  Neighbourhoods of;
  for (const ComponentId id : group.members) {
    const Part* controller = grouping.owner_of(grouping[id]);
    if (controller == nullptr) controller = grouping.part_of(grouping[id], PartKind::kController);
    of.push_back(controller == nullptr ? 0
                                       : numbers.try_emplace(*controller, numbers.size() + 1).first->second);
  }
  if (numbers.empty()) of.clear();
  return of;
}

bool is_gone(const Anomaly& anomaly) {
  if (anomaly.summary) return anomaly.summary->gone;
  if (anomaly.metric->resource != Resource::kStorage) return false;
  double seen = 0;
  double most = 0;
  for (std::size_t c = 0; c < anomaly.levels->columns(); ++c) {
    const std::vector<double>& windows = anomaly.levels->windows(c);
    seen = std::max(seen, windows[anomaly.member]);
    most = std::max(most, *std::ranges::max_element(windows));
  }
  return 2 * seen < most;
}

template <class Wanted>
const LevelBook::PeerLevels& LevelBook::over(const LevelSums& sums, const Wanted& wanted) {
  Columns columns;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (wanted(*columns_[c].metric)) columns.push_back(c);
  }
  std::pair key{&sums, std::move(columns)};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  std::vector<double> total = total_of(sums, key.second);
  const stats::MedianOfOthers peers(total);
  return known_.emplace(std::move(key), PeerLevels{std::move(total), peers}).first->second;
}

double LevelBook::scatter(const Anomaly& anomaly, const PeerLevels& all) const {
  std::set<std::size_t> suspects;
  for (const Anomaly* const other : anomalies_) {
    const bool overlaps =
        other->first_position <= anomaly.last_position && anomaly.first_position <= other->last_position;
    if (overlaps) suspects.insert(other->member);
  }
  const double own = all.of[anomaly.member];
  if (suspects.size() < 2 || 2 * suspects.size() >= all.of.size()) return all.peers.scatter_without(own);
  std::vector<double> well = all.of;
  for (const std::size_t suspect : suspects) well[suspect] = kMissing;
  return stats::MedianOfOthers(well).scatter_without(kMissing);
}

std::optional<ComparedLevel> LevelBook::neighbours(std::size_t member, std::span<const double> levels) const {
  constexpr std::size_t kLeast = 8;
  const std::size_t mine = neighbourhoods_.empty() ? 0 : neighbourhoods_[member];
  if (mine == 0) return std::nullopt;
  std::vector<double> near;
  std::vector<double> far;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::isnan(levels[i]) || i == member) continue;
    (neighbourhoods_[i] == mine ? near : far).push_back(levels[i]);
  }
  if (near.size() < kLeast || far.size() < kLeast) return std::nullopt;
  return ComparedLevel{.own = stats::median_of(near), .peers = stats::median_of(far)};
}

LevelSummary LevelBook::summary(const Anomaly& anomaly) {
  if (anomaly.summary) return *anomaly.summary;
  LevelSummary summary{.gone = is_gone(anomaly)};
  const PeerLevels& mine =
      over(*anomaly.levels, [&](const MetricSpec& metric) { return &metric == anomaly.metric; });
  if (!mine.of.empty()) {
    const double own = mine.of[anomaly.member];
    summary.metric = ComparedLevel{.own = own, .peers = mine.peers.without(own)};
    if (anomaly.metric->role == Role::kLatency) summary.neighbours = neighbours(anomaly.member, mine.of);
  }
  const auto moved = [&](Resource resource) -> std::optional<ComparedLevel> {
    const PeerLevels& all = over(*anomaly.levels, [&](const MetricSpec& metric) {
      return metric.resource == resource && metric.is_moved();
    });
    if (all.of.empty()) return std::nullopt;
    const double own = all.of[anomaly.member];
    return ComparedLevel{own, all.peers.without(own), scatter(anomaly, all)};
  };
  summary.storage = moved(Resource::kStorage);
  summary.network = moved(Resource::kNetwork);
  return summary;
}

}  // namespace laggard::detect
