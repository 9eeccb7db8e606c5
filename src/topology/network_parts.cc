// The parts between clients and servers. They are not recorded themselves; they are what several links have
// in common.
#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/group_builder.h"

namespace laggard::topology {

namespace {

/// The links of the recorded hosts: interfaces by name, and the part that stands for all connections of a
/// server.
struct HostLinks {
  std::map<std::string_view, PartId> interfaces;
  std::vector<PartId> connections;
};

std::unordered_map<std::string_view, HostLinks> links_by_host(const Grouping& grouping) {
  std::unordered_map<std::string_view, HostLinks> links;
  for (const Component& component : grouping.components) {
    HostLinks& of_host = links[component.host];
    if (component.kind == DeviceKind::kNet) of_host.interfaces.emplace(component.device, component.part);
    if (component.kind == DeviceKind::kTcp) of_host.connections.push_back(component.part);
  }
  return links;
}

class NetworkParts {
 public:
  NetworkParts(const Topology& topology, Grouping& grouping)
      : topology_(topology), parts_(grouping.parts), links_(links_by_host(grouping)) {}

  void connect() {
    for (const Switch& each : topology_.switches) connect_switch(each);
    for (const NetworkRoute& route : topology_.routes) {
      const PartId own = route_part(route);
      // What only some clients pass does not slow down a server for the others.
      if (route.from.empty()) connect_all(route.to, own);
    }
    for (const LoadBalancer& each : topology_.load_balancers) {
      connect_all(each.servers, parts_.add({PartKind::kLoadBalancer, each.name}));
    }
  }

 private:
  [[nodiscard]] const HostLinks* links_of(HostId host) const {
    const auto found = links_.find(topology_.hosts[host.index()].name);
    return found == links_.end() ? nullptr : &found->second;
  }

  void connect_switch(const Switch& each) {
    const PartId own = parts_.add({PartKind::kSwitch, each.name});
    if (!each.uplink.empty()) {
      parts_.connect(own, EdgeKind::kRoutesOver, parts_.add({PartKind::kSwitch, each.uplink}));
    }
    for (const Network::Port& port : each.ports) {
      const HostLinks* links = links_of(port.host);
      if (links == nullptr) continue;
      if (const auto found = links->interfaces.find(port.interface); found != links->interfaces.end()) {
        parts_.connect(found->second, EdgeKind::kRoutesOver, own);
      }
      for (const PartId connection : links->connections) {
        parts_.connect(connection, EdgeKind::kRoutesOver, own);
      }
    }
  }

  /// A single router is needed by every host behind it; of several, none is, but their group is.
  PartId route_part(const NetworkRoute& route) {
    if (route.over.size() == 1) return parts_.add({PartKind::kRouter, route.over.front()});
    const PartId group = parts_.add({PartKind::kLoadBalancer, route.name});
    for (const std::string& router : route.over) {
      parts_.connect(parts_.add({PartKind::kRouter, router}), EdgeKind::kMemberOf, group);
    }
    return group;
  }

  void connect_all(const std::vector<HostId>& hosts, PartId to) {
    for (const HostId host : hosts) {
      const HostLinks* links = links_of(host);
      if (links == nullptr) continue;
      for (const auto& [name, part] : links->interfaces) parts_.connect(part, EdgeKind::kRoutesOver, to);
      for (const PartId connection : links->connections) {
        parts_.connect(connection, EdgeKind::kRoutesOver, to);
      }
    }
  }

  const Topology& topology_;
  PartGraph& parts_;
  std::unordered_map<std::string_view, HostLinks> links_;
};

}  // namespace

void connect_networks(const Topology& topology, Grouping& grouping) {
  NetworkParts(topology, grouping).connect();
}

void describe_paths(const Topology& topology, Grouping& grouping) {
  for (const Host& host : topology.hosts) {
    if (host.role == HostRole::kClient) grouping.parts.add({PartKind::kClient, host.name});
    if (host.role != HostRole::kMetadataServer) continue;
    grouping.parts.add({PartKind::kMetadataServer, host.name});
    if (!host.set.empty()) grouping.sets[host.name] = host.set;
  }
  for (const Lun& lun : topology.luns) {
    if (!lun.set.empty()) grouping.sets[lun.name] = lun.set;
  }
  const auto names_of = [&](std::span<const HostId> hosts) {
    std::vector<std::string> names;
    names.reserve(hosts.size());
    for (const HostId host : hosts) names.push_back(topology.hosts[host.index()].name);
    std::ranges::sort(names);
    return names;
  };
  for (const NetworkRoute& route : topology.routes) {
    ClientRoute known{.clients = names_of(route.from), .servers = names_of(route.to), .over = {}};
    for (const std::string& router : route.over) known.over.push_back({PartKind::kRouter, router});
    grouping.routes.push_back(std::move(known));
  }
}

}  // namespace laggard::topology
