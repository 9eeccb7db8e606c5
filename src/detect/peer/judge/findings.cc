#include "detect/peer/judge/findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// Nothing was recorded of it in most of the windows, while its peers were: the device is gone.
bool is_gone(const Anomaly& anomaly) {
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

}  // namespace

Symptom symptom_of(const Anomaly& anomaly, std::optional<double> own, std::optional<double> peers) {
  if (is_gone(anomaly)) return Symptom::kLost;
  if (anomaly.detector == kAbsentDetector) return Symptom::kSilent;
  switch (anomaly.metric->role) {
    case Role::kLatency:
    case Role::kDelay:
    case Role::kOccupancy:
      return Symptom::kSlower;
    case Role::kThroughput:
      return own && peers && *own > *peers ? Symptom::kMore : Symptom::kLess;
    case Role::kCongestion:
    case Role::kCapacity:
      return Symptom::kLess;
    case Role::kRetransmission:
    case Role::kErrors:
      return Symptom::kError;
  }
  return Symptom::kSlower;
}

Symptom symptom_of(const Anomaly& anomaly, std::optional<std::size_t> column) {
  const bool two_sided = anomaly.metric->role == Role::kThroughput;
  if (!two_sided || !column) return symptom_of(anomaly, std::nullopt, std::nullopt);
  const std::vector<double> levels = anomaly.levels->means(*column);
  const double own = levels[anomaly.member];
  const double peers = stats::MedianOfOthers(levels).without(own);
  if (std::isnan(own) || std::isnan(peers)) return symptom_of(anomaly, std::nullopt, std::nullopt);
  return symptom_of(anomaly, own, peers);
}

namespace {

/// What members did over the windows of an anomaly, in one metric or in two added up: sorted once, however
/// many members' anomalies share the sums.
struct PeerLevels {
  std::vector<double> of;  ///< Per member, NaN where it was not recorded; empty when no metric was.
  stats::MedianOfOthers peers{of};

  PeerLevels() = default;
  explicit PeerLevels(std::vector<double> levels) : of(std::move(levels)), peers(of) {}
};

/// The levels that the anomalies of one group refer to.
class LevelBook {
 public:
  explicit LevelBook(const GroupAnomalies& group) : group_(group) {}

  const PeerLevels& over(const LevelSums& sums, const MetricSpec& metric) {
    return over(sums, columns_where([&](const MetricSpec& other) { return &other == &metric; }));
  }
  /// All that went through a resource.
  const PeerLevels& moved_over(const LevelSums& sums, Resource resource) {
    return over(sums, columns_where([&](const MetricSpec& other) {
                  return other.resource == resource && other.is_moved();
                }));
  }

  /// How far apart those are over an anomaly's windows who have no anomaly then, and its own member left out:
  /// two sick alike do not vouch for each other. By all others when half of the group or more are suspected.
  double moved_scatter(const Anomaly& anomaly, Resource resource) {
    const PeerLevels& all = moved_over(*anomaly.levels, resource);
    if (all.of.empty()) return kMissing;
    const double own = all.of[anomaly.member];
    const std::set<std::size_t> suspects = suspects_during(anomaly);
    if (suspects.size() < 2 || 2 * suspects.size() >= all.of.size()) return all.peers.scatter_without(own);
    std::vector<double> well = all.of;
    for (const std::size_t suspect : suspects) well[suspect] = kMissing;
    return stats::MedianOfOthers(well).scatter_without(kMissing);
  }

 private:
  using Columns = std::vector<std::size_t>;

  [[nodiscard]] std::set<std::size_t> suspects_during(const Anomaly& anomaly) const {
    std::set<std::size_t> members;
    for (const Anomaly* const other : group_.anomalies) {
      const bool overlaps =
          other->first_position <= anomaly.last_position && anomaly.first_position <= other->last_position;
      if (overlaps) members.insert(other->member);
    }
    return members;
  }

  template <class Wanted>
  [[nodiscard]] Columns columns_where(const Wanted& wanted) const {
    Columns columns;
    for (std::size_t c = 0; c < group_.columns.size(); ++c) {
      if (wanted(*group_.columns[c].metric)) columns.push_back(c);
    }
    return columns;
  }

  const PeerLevels& over(const LevelSums& sums, const Columns& columns) {
    const auto [place, is_new] = known_.try_emplace({&sums, columns});
    if (is_new) place->second = PeerLevels(total(sums, columns));
    return place->second;
  }

  [[nodiscard]] static std::vector<double> total(const LevelSums& sums, const Columns& columns) {
    std::vector<double> total;
    for (const std::size_t c : columns) {
      const std::vector<double> means = sums.means(c);
      if (total.empty()) total.assign(means.size(), 0);
      for (std::size_t i = 0; i < means.size(); ++i) total[i] += means[i];
    }
    return total;
  }

  const GroupAnomalies& group_;
  std::map<std::pair<const LevelSums*, Columns>, PeerLevels> known_;
};

void add_moved(const FactSpec& spec, Resource resource, const Anomaly& anomaly, LevelBook& book,
               Finding& finding) {
  const PeerLevels& levels = book.moved_over(*anomaly.levels, resource);
  if (levels.of.empty()) return;
  const double own = levels.of[anomaly.member];
  finding.facts.push_back({&spec, own, levels.peers.without(own), book.moved_scatter(anomaly, resource)});
}

/// How anomalous windows alternate with normal ones; of detectors whose windows are judged one by one.
void add_windows(const Anomaly& anomaly, Finding& finding) {
  const auto add = [&](const FactSpec& spec, std::size_t count) {
    finding.facts.push_back({&spec, static_cast<double>(count), kMissing, kMissing});
  };
  add(kAnomalousWindows, anomaly.bad);
  if (!finding.is_slow() || anomaly.detector == kBiasDetector || anomaly.detector == kStandbyDetector) return;
  add(kNormalWindows, anomaly.well);
  add(kPauses, anomaly.pauses);
  add(kNormalWindowsSince, anomaly.well_since);
}

/// What is compared as a logarithm is shown as what it was.
std::optional<double> in_unit(const MetricSpec& metric, double level) {
  if (std::isnan(level)) return std::nullopt;
  return metric.log_unit > 0 ? metric.log_unit * (std::exp2(level) - 1) : level;
}

Evidence evidence_of(const Anomaly& anomaly, const Component& component, const PeerLevels& levels) {
  Evidence evidence;
  evidence.metric = anomaly.metric->name;
  evidence.component = component.name;
  evidence.detector = anomaly.detector;
  evidence.distance = anomaly.distance;
  evidence.threshold = anomaly.threshold;
  evidence.score = anomaly.score;
  evidence.unit = anomaly.metric->unit;
  evidence.windows = anomaly.windows;
  if (anomaly.score > 0) evidence.worst_window = anomaly.worst_window;
  if (levels.of.empty()) return evidence;
  const double own = levels.of[anomaly.member];
  evidence.level = in_unit(*anomaly.metric, own);
  evidence.peers = in_unit(*anomaly.metric, levels.peers.without(own));
  return evidence;
}

Finding finding_of(const Anomaly& anomaly, const Component& component, LevelBook& book) {
  const LevelSums& sums = *anomaly.levels;
  Finding finding;
  finding.resource = anomaly.metric->resource;
  finding.role = anomaly.metric->role;
  finding.since = anomaly.since;
  finding.faulty_since = anomaly.faulty_since;
  finding.opened = {anomaly.opened, anomaly.opened_as};
  finding.persistent_since = anomaly.persistent_since;
  finding.confirmed_since = anomaly.confirmed_since;
  finding.until = *anomaly.until;
  finding.first = anomaly.first_position;
  finding.last = anomaly.last_position;
  finding.retrospective = anomaly.detector == kBiasDetector;
  finding.strength = anomaly.strength;
  finding.severity = anomaly.severity;
  finding.persistence = anomaly.persistence;
  finding.trained = anomaly.trained;
  finding.growth = anomaly.growth;
  finding.evidence = evidence_of(anomaly, component, book.over(sums, *anomaly.metric));
  finding.symptom = symptom_of(anomaly, finding.evidence.level, finding.evidence.peers);
  add_moved(kStorageMoved, Resource::kStorage, anomaly, book, finding);
  add_moved(kNetworkMoved, Resource::kNetwork, anomaly, book, finding);
  add_windows(anomaly, finding);
  if (anomaly.detector == kStandbyDetector) finding.facts.push_back({&kStandbyWait, anomaly.distance});
  return finding;
}

bool loss_is_recorded(std::span<const GroupAnomalies> groups) {
  return std::ranges::any_of(groups, [](const GroupAnomalies& group) {
    return std::ranges::any_of(group.columns, [](const GroupJudge::Column& column) {
      return column.metric->role == Role::kRetransmission && column.judged;
    });
  });
}

/// Where loss is recorded, congestion windows need something else of their host beside them.
void withhold_lone_congestion(std::vector<Finding>& findings, const Grouping& grouping) {
  const auto host = [&](const Finding& finding) { return grouping.components[finding.component].host; };
  std::set<std::string> hosts_with_more;
  for (const Finding& finding : findings) {
    if (finding.role != Role::kCongestion) hosts_with_more.insert(host(finding));
  }
  for (Finding& finding : findings) {
    finding.withheld = finding.role == Role::kCongestion && !hosts_with_more.contains(host(finding));
  }
}

}  // namespace

std::vector<Finding> peer_findings(const Grouping& grouping, std::span<const GroupAnomalies> groups) {
  std::vector<Finding> findings;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LevelBook book(groups[g]);
    for (std::size_t a = 0; a < groups[g].anomalies.size(); ++a) {
      const Anomaly& anomaly = *groups[g].anomalies[a];
      const std::size_t component = grouping.groups[g].members[anomaly.member].index();
      Finding& finding = findings.emplace_back(finding_of(anomaly, grouping.components[component], book));
      finding.component = component;
      finding.open = groups[g].open[a] != 0;
    }
  }
  if (loss_is_recorded(groups)) withhold_lone_congestion(findings, grouping);
  return findings;
}

}  // namespace laggard::detect
