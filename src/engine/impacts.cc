#include "engine/impacts.h"

#include <algorithm>
#include <cmath>

#include "detect/peer/judge/levels.h"

namespace laggard::engine {

namespace {

/// So much less is moved before it is worth a word; healthy groups wander by some per cent.
constexpr double kLeastFall = 0.1;
/// From the beginning of an incident on; later the load itself may be another.
constexpr std::int64_t kMostWindows = 16;

using Columns = detect::PeerDetector::Columns;

/// The resource of which the group knows all that goes through it, by the metrics that add up to it.
const MetricSpec* moved_metric(const Columns& columns) {
  const auto found = std::ranges::find_if(
      columns, [](const detect::GroupJudge::Column& column) { return column.metric->is_moved(); });
  return found == columns.end() ? nullptr : found->metric;
}

}  // namespace

Impacts::Impacts(const Grouping& grouping, std::span<const Columns> columns,
                 const detect::WindowSpec& windows)
    : grouping_(grouping), columns_(columns), windows_(windows), moved_(grouping.groups.size()) {
  for (std::size_t c = 0; c < grouping.components.size(); ++c)
    component_.emplace(grouping.components[c].name, c);
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    if (moved_metric(columns[g]) == nullptr) continue;
    for (const ComponentId member : grouping.groups[g].members) {
      std::vector<std::size_t>& groups = groups_of_host_[grouping[member].host];
      if (groups.empty() || groups.back() != g) groups.push_back(g);
    }
  }
}

void Impacts::follow(const detect::JudgedWindow& judged) {
  const Columns& columns = columns_[judged.group];
  const MetricSpec* metric = moved_metric(columns);
  if (metric == nullptr) return;
  moved_[judged.group].add(judged.window.index,
                           detect::median_moved(columns, judged.window.levels, metric->resource));
}

std::vector<std::size_t> Impacts::groups_of(const Incident& incident) const {
  std::vector<std::size_t> groups;
  for (const std::string& name : incident.components) {
    const auto component = component_.find(name);
    if (component == component_.end()) continue;
    const auto of_host = groups_of_host_.find(grouping_.components[component->second].host);
    if (of_host != groups_of_host_.end())
      groups.insert(groups.end(), of_host->second.begin(), of_host->second.end());
  }
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::optional<Impact> Impacts::of(const Incident& incident) const {
  const std::int64_t step = detect::window_step(windows_).count();
  const Duration length = windows_.interval * static_cast<std::int64_t>(windows_.size);
  const std::int64_t from = to_unix_ns(incident.since) / step;
  const std::int64_t to = std::min(to_unix_ns(incident.seen_until - length) / step, from + kMostWindows - 1);
  std::optional<Impact> worst;
  double most = kLeastFall;
  for (const std::size_t g : groups_of(incident)) {
    const auto fall = moved_[g].fall(from, std::max(from, to));
    if (!fall || !(fall->share() >= most)) continue;
    most = fall->share();
    worst = Impact{grouping_.groups[g].name, fall->before, fall->during,
                   std::string(moved_metric(columns_[g])->unit)};
  }
  return worst;
}

}  // namespace laggard::engine
