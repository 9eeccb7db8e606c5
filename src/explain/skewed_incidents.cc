#include "explain/skewed_incidents.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace laggard::explain {

namespace {

bool overlap(const ClockSkew& skew, const Incident& incident, WallTime end) {
  return skew.from < incident.until.value_or(end) && incident.since < skew.to;
}

}  // namespace

void mark_skewed_incidents(Diagnosis& diagnosis, const Grouping& grouping) {
  const std::vector<ClockSkew>& skewed = diagnosis.coverage.clocks.skewed;
  if (skewed.empty()) return;
  std::map<std::string_view, std::string_view> host_of;
  for (const Component& component : grouping.components) host_of.emplace(component.name, component.host);
  for (Incident& incident : diagnosis.incidents) {
    std::set<std::string_view> hosts;
    for (const std::string& name : incident.components) {
      const auto host = host_of.find(name);
      if (host != host_of.end()) hosts.insert(host->second);
    }
    for (const ClockSkew& skew : skewed) {
      if (!hosts.contains(skew.host) || !overlap(skew, incident, diagnosis.to)) continue;
      incident.why +=
          fmt::format("; mind that the clock of {} is {} its peers'", skew.host, how_far_off(skew));
    }
  }
}

}  // namespace laggard::explain
