#include "explain/incident_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace laggard::explain {

namespace {

constexpr const char* kUnknown = "unknown";

bool was_none(const Incident& incident) {
  return incident.status == IncidentStatus::kExplained || incident.status == IncidentStatus::kWithdrawn;
}

void add(const Incident& incident, IncidentDurations& to) {
  ++to.incidents;
  if (incident.state == IncidentState::kConfirmed) ++to.confirmed;
  if (incident.status == IncidentStatus::kOpen) ++to.open;
  to.sorted_s.push_back(to_seconds(incident.seen_until - incident.since));
}

using ByName = std::map<std::string, IncidentDurations>;

std::vector<IncidentDurations> most_first(ByName by_name) {
  std::vector<IncidentDurations> all;
  for (auto& [name, durations] : by_name) {
    durations.name = name;
    std::ranges::sort(durations.sorted_s);
    all.push_back(std::move(durations));
  }
  std::ranges::stable_sort(all, std::greater<>{}, &IncidentDurations::incidents);
  return all;
}

/// The worst ratio of an incident in each metric that its evidence has a level of.
void add_excess(const Incident& incident, std::map<std::string, Excess>& excess) {
  std::map<std::string, double> worst;
  for (const Evidence& evidence : incident.evidence) {
    if (evidence.metric.empty() || !evidence.level || !evidence.peers || !(*evidence.peers > 0)) continue;
    const double ratio = *evidence.level / *evidence.peers;
    if (!std::isfinite(ratio)) continue;
    const auto [known, is_new] = worst.try_emplace(evidence.metric, ratio);
    known->second = std::max(known->second, ratio);
  }
  for (const auto& [metric, ratio] : worst) {
    excess[metric].metric = metric;
    excess[metric].sorted.push_back(ratio);
  }
}

std::vector<Relapses> relapses_of(std::map<Part, Relapses> by_part) {
  std::vector<Relapses> all;
  for (auto& [part, relapses] : by_part) {
    if (relapses.durations.incidents < 2) continue;
    std::ranges::sort(relapses.durations.sorted_s);
    all.push_back(std::move(relapses));
  }
  std::ranges::stable_sort(all, std::greater<>{},
                           [](const Relapses& relapses) { return relapses.durations.incidents; });
  return all;
}

}  // namespace

IncidentStatistics statistics_of(std::span<const Incident> incidents, TimeSpan recorded) {
  IncidentStatistics statistics{.from = recorded.from, .to = recorded.to};
  std::vector<const Incident*> in_order;
  for (const Incident& incident : incidents) {
    if (was_none(incident)) {
      ++statistics.accounted_for;
    } else {
      in_order.push_back(&incident);
    }
  }
  std::ranges::stable_sort(in_order, {}, [](const Incident* incident) { return incident->since; });
  ByName causes;
  ByName modes;
  ByName kinds;
  std::map<Part, Relapses> parts;
  std::map<std::string, Excess> excess;
  for (const Incident* incident : in_order) {
    add(*incident, statistics.all);
    const std::string cause = incident->cause.empty() ? kUnknown : incident->cause;
    add(*incident, causes[cause]);
    add(*incident, modes[incident->mode ? std::string(to_name(*incident->mode)) : kUnknown]);
    add(*incident, kinds[std::string(incident->blame.kind.spec().title)]);
    Relapses& part = parts[incident->blame];
    part.part = incident->blame;
    part.last = incident->since;
    if (std::ranges::find(part.causes, cause) == part.causes.end()) part.causes.push_back(cause);
    add(*incident, part.durations);
    add_excess(*incident, excess);
  }
  std::ranges::sort(statistics.all.sorted_s);
  statistics.causes = most_first(std::move(causes));
  statistics.modes = most_first(std::move(modes));
  statistics.kinds = most_first(std::move(kinds));
  statistics.relapses = relapses_of(std::move(parts));
  for (auto& [metric, one] : excess) {
    std::ranges::sort(one.sorted);
    statistics.excess.push_back(std::move(one));
  }
  std::ranges::stable_sort(statistics.excess, std::greater<>{},
                           [](const Excess& one) { return one.sorted.size(); });
  return statistics;
}

}  // namespace laggard::explain
