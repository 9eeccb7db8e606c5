#include "detect/peer/judge/findings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/missing.h"
#include "detect/peer/judge/level_book.h"
#include "stats/missing_values.h"

namespace laggard::detect {

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

ComparedLevel level_of(const Anomaly& anomaly, std::size_t column) {
  const std::vector<double> levels = anomaly.levels->means(column);
  const double own = levels[anomaly.member];
  return {.own = own, .peers = stats::MedianOfOthers(levels).without(own)};
}

Symptom symptom_of(const Anomaly& anomaly, std::optional<std::size_t> column) {
  const bool two_sided = anomaly.metric->role == Role::kThroughput;
  if (!two_sided || !column) return symptom_of(anomaly, std::nullopt, std::nullopt);
  const auto [own, peers, scatter] = level_of(anomaly, *column);
  if (std::isnan(own) || std::isnan(peers)) return symptom_of(anomaly, std::nullopt, std::nullopt);
  return symptom_of(anomaly, own, peers);
}

namespace {

void add_moved(const FactSpec& spec, const std::optional<ComparedLevel>& moved, Finding& finding) {
  if (moved) finding.facts.push_back({&spec, moved->own, moved->peers, moved->scatter});
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
std::optional<double> in_unit(std::span<const GroupJudge::Column> columns, const MetricSpec* metric,
                              double level) {
  if (std::isnan(level)) return std::nullopt;
  const auto column = std::ranges::find(columns, metric, &GroupJudge::Column::metric);
  const bool by_factors = column != columns.end() && column->by_factors;
  return by_factors ? metric->log_unit * (std::exp2(level) - 1) : level;
}

Evidence evidence_of(const Anomaly& anomaly, const Component& component, const LevelSummary& levels,
                     std::span<const GroupJudge::Column> columns) {
  Evidence evidence;
  evidence.source = anomaly.metric->witness();
  evidence.metric = anomaly.metric->name;
  evidence.component = component.name;
  evidence.detector = anomaly.detector;
  evidence.distance = anomaly.distance;
  evidence.threshold = anomaly.threshold;
  evidence.score = anomaly.score;
  evidence.unit = anomaly.metric->unit;
  evidence.windows = anomaly.windows;
  if (anomaly.score > 0) evidence.worst_window = anomaly.worst_window;
  if (!levels.metric) return evidence;
  evidence.level = in_unit(columns, anomaly.metric, levels.metric->own);
  evidence.peers = in_unit(columns, anomaly.metric, levels.metric->peers);
  return evidence;
}

Finding finding_of(const Anomaly& anomaly, const Component& component, const LevelSummary& levels,
                   std::span<const GroupJudge::Column> columns) {
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
  finding.as_ever = anomaly.as_ever;
  finding.withdrawn = anomaly.withdrawn;
  // Who is as slow as ever cannot be confirmed together with others, either.
  if (!anomaly.as_ever) finding.growth = anomaly.growth;
  finding.evidence = evidence_of(anomaly, component, levels, columns);
  finding.symptom = symptom_of(anomaly, finding.evidence.level, finding.evidence.peers);
  add_moved(kStorageMoved, levels.storage, finding);
  add_moved(kNetworkMoved, levels.network, finding);
  add_windows(anomaly, finding);
  if (levels.neighbours && levels.neighbours->peers > 0) {
    const double more = levels.neighbours->own / levels.neighbours->peers - 1;
    finding.facts.push_back({&kNeighboursWait, 100 * more, kMissing, kMissing});
  }
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
  std::size_t count = 0;
  for (const GroupAnomalies& group : groups) count += group.anomalies.size();
  findings.reserve(count);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LevelBook book(groups[g].columns, groups[g].anomalies, groups[g].neighbourhoods);
    for (std::size_t a = 0; a < groups[g].anomalies.size(); ++a) {
      const Anomaly& anomaly = *groups[g].anomalies[a];
      const std::size_t component = grouping.groups[g].members[anomaly.member].index();
      Finding& finding = findings.emplace_back(
          finding_of(anomaly, grouping.components[component], book.summary(anomaly), groups[g].columns));
      finding.component = component;
      finding.open = groups[g].open[a] != 0;
    }
  }
  if (loss_is_recorded(groups)) withhold_lone_congestion(findings, grouping);
  return findings;
}

}  // namespace laggard::detect
