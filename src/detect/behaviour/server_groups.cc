#include "detect/behaviour/server_groups.h"

namespace laggard::detect {

ServerGroups::ServerGroups(const Grouping& grouping) : grouping_(grouping) {
  for (const GroupKind kind :
       {GroupKind::kHosts, GroupKind::kDaemons, GroupKind::kInterfaces, GroupKind::kDisks}) {
    for (const PeerGroup& group : grouping.groups) {
      if (group.kind != kind || group.second_only) continue;
      for (const ComponentId member : group.members) groups_.try_emplace(grouping[member].host, group.name);
    }
  }
}

bool ServerGroups::is_compared(std::string_view host) const {
  return grouping_.resolver.endpoint(std::string(host)).party != SeriesResolver::Party::kClient;
}

std::string_view ServerGroups::group_of(const std::string& host) const {
  const auto known = groups_.find(host);
  return known == groups_.end() ? std::string_view() : known->second;
}

std::map<std::string_view, std::vector<std::size_t>> ServerGroups::members(
    const FeatureWindow& window) const {
  std::map<std::string_view, std::vector<std::size_t>> members;
  for (std::size_t host = 0; host < window.hosts.size(); ++host) {
    members[group_of(window.hosts[host])].push_back(host);
  }
  return members;
}

}  // namespace laggard::detect
