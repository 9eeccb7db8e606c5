#include "detect/peer/judge/level_book.h"

#include <algorithm>
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

LevelSummary LevelBook::summary(const Anomaly& anomaly) {
  if (anomaly.summary) return *anomaly.summary;
  LevelSummary summary{.gone = is_gone(anomaly)};
  const PeerLevels& mine =
      over(*anomaly.levels, [&](const MetricSpec& metric) { return &metric == anomaly.metric; });
  if (!mine.of.empty()) {
    const double own = mine.of[anomaly.member];
    summary.metric = ComparedLevel{.own = own, .peers = mine.peers.without(own)};
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
