#include "engine/group_troubles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "base/missing.h"
#include "detect/peer/judge/common_fall.h"
#include "detect/peer/judge/levels.h"
#include "stats/missing_values.h"

namespace laggard::engine {

namespace {

using Columns = detect::PeerDetector::Columns;

/// The smallest difference that means something in the metric, on rotating disks.
double floor_of(const MetricSpec& metric) { return std::max(metric.noise_floor, metric.log_unit); }

bool may_split(const detect::GroupJudge::Column& column) {
  const MetricSpec& metric = *column.metric;
  const bool waits =
      metric.role == Role::kLatency || metric.role == Role::kDelay || metric.role == Role::kRetransmission;
  return column.judged && waits && metric.bad == BadDirection::kHigher && floor_of(metric) > 0;
}

std::set<std::string_view> hosts_of(const Grouping& grouping, const PeerGroup& group) {
  std::set<std::string_view> hosts;
  for (const ComponentId member : group.members) hosts.insert(grouping[member].host);
  return hosts;
}

/// What an incident is about, and when.
struct Touched {
  std::set<std::string_view> hosts;
  WallTime from;
  WallTime to;
};

std::vector<Touched> touched_by(std::span<const Incident> incidents, const Grouping& grouping) {
  std::map<std::string_view, std::string_view> hosts;
  for (const Component& component : grouping.components) hosts[component.name] = component.host;
  std::vector<Touched> touched;
  for (const Incident& incident : incidents) {
    Touched& one = touched.emplace_back(Touched{{}, incident.since, incident.seen_until});
    const auto add = [&](const std::string& name) {
      const auto component = hosts.find(name);
      one.hosts.insert(component == hosts.end() ? std::string_view(name) : component->second);
    };
    std::ranges::for_each(incident.components, add);
    add(incident.blame.name);
  }
  return touched;
}

/// Whether an incident about any of the hosts overlaps with the time.
bool is_touched(const std::set<std::string_view>& hosts, WallTime from, WallTime to,
                std::span<const Touched> touched) {
  return std::ranges::any_of(touched, [&](const Touched& one) {
    return one.from < to && from < one.to &&
           std::ranges::any_of(one.hosts, [&](std::string_view host) { return hosts.contains(host); });
  });
}

}  // namespace

GroupTroubles::GroupTroubles(const Grouping& grouping, std::span<const Columns> columns,
                             const detect::WindowSpec& windows, std::span<const detect::MovedHistory> moved)
    : grouping_(grouping),
      columns_(columns),
      windows_(windows),
      moved_(moved),
      asked_(grouping.groups.size()) {
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    if (grouping.groups[g].second_only) continue;
    for (std::size_t c = 0; c < columns[g].size(); ++c) {
      if (may_split(columns[g][c])) watched_.push_back({g, c});
    }
  }
  // As long as it takes to be faulty in every way.
  splits_.assign(watched_.size(), detect::CampFollower(2 * windows.k - 1));
}

void GroupTroubles::follow(const detect::JudgedWindow& judged) {
  const std::size_t g = judged.group;
  const detect::WindowJudgement& window = judged.window;
  if (const auto* waiters = detect::levels_of(columns_[g], window.levels, Quantity::kWaiters)) {
    double most = kMissing;
    for (const double level : *waiters) most = std::fmax(most, level);
    asked_[g].add(window.index, most);
  }
  const auto first = std::ranges::lower_bound(watched_, g, {}, &Watched::group);
  for (auto at = first; at != watched_.end() && at->group == g; ++at) {
    splits_[static_cast<std::size_t>(at - watched_.begin())].add(window.index, split_of(*at, window));
  }
}

std::optional<detect::Split> GroupTroubles::split_of(const Watched& watched,
                                                     const detect::WindowJudgement& window) const {
  if (watched.column >= window.levels.size()) return std::nullopt;
  const MetricSpec& metric = *columns_[watched.group][watched.column].metric;
  const bool of_disks = metric.role == Role::kLatency && metric.resource == Resource::kStorage;
  if (of_disks && window.idle) return std::nullopt;
  auto split = detect::split_in_two(window.levels[watched.column], floor_of(metric));
  if (!split || !of_disks) return split;
  const Columns& columns = columns_[watched.group];
  const auto* read = detect::levels_of(columns, window.levels, Quantity::kRead);
  const auto* written = detect::levels_of(columns, window.levels, Quantity::kWritten);
  if (read == nullptr || written == nullptr) return std::nullopt;
  std::vector<double> higher, lower;
  for (std::size_t i = 0; i < split->higher.size(); ++i) {
    (split->higher[i] != 0 ? higher : lower).push_back((*read)[i] + (*written)[i]);
  }
  if (!(2 * stats::median_of(lower) >= stats::median_of(higher))) return std::nullopt;
  return split;
}

WallTime GroupTroubles::start_of(std::int64_t window) const {
  return from_unix_ns(window * detect::window_step(windows_).count());
}

WallTime GroupTroubles::end_of(std::int64_t window) const {
  return start_of(window) + windows_.interval * static_cast<std::int64_t>(windows_.size);
}

/// Of the clients' connections to the servers that are in the group of interfaces, too.
const detect::MovedHistory* GroupTroubles::asked_of(std::size_t group) const {
  const std::set<std::string_view> hosts = hosts_of(grouping_, grouping_.groups[group]);
  for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
    const PeerGroup& other = grouping_.groups[g];
    if (other.kind != GroupKind::kTcpFromClients) continue;
    const bool same = std::ranges::any_of(
        other.members, [&](ComponentId member) { return hosts.contains(grouping_[member].host); });
    if (same) return &asked_[g];
  }
  return nullptr;
}

std::vector<Slowdown> GroupTroubles::slowdowns(std::span<const Incident> incidents) const {
  std::vector<Slowdown> slowdowns;
  std::optional<std::vector<Touched>> touched;
  for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
    const PeerGroup& group = grouping_.groups[g];
    const detect::MovedHistory* const asked = group.kind == GroupKind::kInterfaces ? asked_of(g) : nullptr;
    if (asked == nullptr) continue;
    for (const detect::CommonFall& fall :
         detect::common_falls(moved_[g].levels(), asked->levels(), windows_.k)) {
      const WallTime since = start_of(fall.from);
      const WallTime until = end_of(fall.to);
      if (!touched) touched = touched_by(incidents, grouping_);
      if (is_touched(hosts_of(grouping_, group), since, until, *touched)) continue;
      Slowdown& slow = slowdowns.emplace_back();
      slow.group = group.name;
      slow.members = group.members.size();
      slow.since = since;
      if (fall.over) slow.until = until;
      slow.before = fall.before;
      slow.during = fall.during;
      slow.unit = std::string(find_metric("rxbyt")->unit);
    }
  }
  return slowdowns;
}

std::vector<Part> GroupTroubles::shared_by(const PeerGroup& group, std::span<const std::uint8_t> higher,
                                           bool of_higher) const {
  std::set<std::string_view> inside, outside;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    ((higher[i] != 0) == of_higher ? inside : outside).insert(grouping_[group.members[i]].host);
  }
  // Whatever of a host runs through the part: its interface over a switch, its disk through a rack.
  std::map<Part, std::set<std::string_view>> hosts;
  for (const Component& component : grouping_.components) {
    if (!inside.contains(component.host) && !outside.contains(component.host)) continue;
    for (const PartId part : grouping_.parts.needs(component.part)) {
      hosts[grouping_.parts[part]].insert(component.host);
    }
  }
  std::vector<Part> shared;
  for (const auto& [part, through] : hosts) {
    if (through == inside && inside.size() > 1) shared.push_back(part);
  }
  return shared;
}

Camps GroupTroubles::describe(const Watched& watched, const detect::CampFollower::Found& found,
                              WallTime to) const {
  const PeerGroup& group = grouping_.groups[watched.group];
  const MetricSpec& metric = *columns_[watched.group][watched.column].metric;
  Camps camps;
  camps.group = group.name;
  camps.metric = std::string(metric.name);
  camps.unit = std::string(metric.unit);
  camps.since = start_of(found.from);
  if (to - end_of(found.to) >= detect::window_step(windows_) * static_cast<std::int64_t>(windows_.k)) {
    camps.until = end_of(found.to);
  }
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    Camps::Camp& camp = found.higher[i] != 0 ? camps.higher : camps.lower;
    camp.members.push_back(grouping_[group.members[i]].name);
  }
  camps.higher.level = found.higher_sum / static_cast<double>(found.windows);
  camps.lower.level = found.lower_sum / static_cast<double>(found.windows);
  camps.higher.share = shared_by(group, found.higher, true);
  camps.lower.share = shared_by(group, found.higher, false);
  return camps;
}

std::vector<Camps> GroupTroubles::camps(std::span<const Incident> incidents, WallTime to) const {
  std::vector<Camps> all;
  std::optional<std::vector<Touched>> touched;
  for (std::size_t w = 0; w < watched_.size(); ++w) {
    const PeerGroup& group = grouping_.groups[watched_[w].group];
    for (const detect::CampFollower::Found& found : splits_[w].found()) {
      if (found.higher.size() != group.members.size()) continue;
      if (!touched) touched = touched_by(incidents, grouping_);
      if (is_touched(hosts_of(grouping_, group), start_of(found.from), end_of(found.to), *touched)) {
        continue;
      }
      all.push_back(describe(watched_[w], found, to));
    }
  }
  return all;
}

}  // namespace laggard::engine
