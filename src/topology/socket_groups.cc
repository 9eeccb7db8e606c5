#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "topology/group_builder.h"

namespace laggard::topology {

namespace {

using NaturalOrder = bool (*)(std::string_view, std::string_view);

constexpr std::array kDirections{GroupKind::kTcpFromServers, GroupKind::kTcpFromClients};

/// The recorded sockets of a server: towards clients [0] and from clients [1].
using ServerSockets = std::array<std::vector<SeriesKey>, kDirections.size()>;

Component socket_component(PartGraph& parts, const std::string& server, GroupKind direction,
                           std::vector<SeriesKey> series) {
  Component component;
  component.name = server + (direction == GroupKind::kTcpFromClients ? "/tcp-in" : "/tcp-out");
  component.host = server;
  component.kind = DeviceKind::kTcp;
  component.part = part_of_server(parts, {PartKind::kLink, server}, {PartKind::kServer, server});
  component.series = std::move(series);
  return component;
}

/// The sockets by server, as the resolver assigns them now.
std::map<std::uint32_t, ServerSockets> place_sockets(std::span<const RecordedHost> hosts,
                                                     const SeriesResolver& resolver) {
  std::map<std::uint32_t, ServerSockets> servers;
  for (const RecordedHost& recorded : hosts) {
    for (const DeviceInfo* socket : recorded.sockets) {
      const auto place = resolver.place(recorded.name, socket->device);
      if (!place) continue;
      servers[place->server][place->from_client ? 1 : 0].push_back(
          {recorded.name, DeviceKind::kTcp, socket->device});
    }
  }
  return servers;
}

/// A server without connections, among servers that have some, is no component but must not go unmentioned.
void name_silent_servers(GroupKind direction, const std::set<std::string>& heard, GroupBuilder& builder) {
  std::vector<std::string> silent;
  for (const std::string& server : builder.grouping().servers) {
    if (!heard.contains(server)) silent.push_back(server);
  }
  if (silent.empty() || heard.empty()) return;
  builder.cannot_compare(
      fmt::format("{}: no such connection of {} was recorded", to_name(direction), fold_for_message(silent)));
}

std::set<std::string> listed_addresses(const DeviceInfo& net) {
  std::set<std::string> out;
  std::string_view text = fact(net, "address");
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    for (const std::string_view address : split(word, ',')) out.insert(canonical_address(address));
  }
  return out;
}

}  // namespace

void learn_addresses(std::span<const RecordedHost> hosts, GroupBuilder& builder) {
  SeriesResolver& resolver = builder.resolver();
  std::map<std::string, std::string> disputed;
  for (const RecordedHost& recorded : hosts) {
    const auto host = resolver.host(recorded.name);
    if (!host) continue;
    std::set<std::string> addresses;
    for (const DeviceInfo* net : recorded.nets) addresses.merge(listed_addresses(*net));
    for (const DeviceInfo* socket : recorded.sockets) {
      if (auto ends = parse_socket(socket->device)) addresses.insert(std::move(ends->local));
    }
    for (const std::string& address : addresses) {
      if (is_host_local(address)) continue;
      if (resolver.add_address(address, *host)) disputed.emplace(address, recorded.name);
    }
  }
  for (const auto& [address, host] : disputed) {
    builder.note(fmt::format(
        "address {} is local on {} and on another host, so its connections are left out of tcp groups",
        address, host));
  }
}

void group_sockets(std::span<const RecordedHost> hosts,
                   const std::unordered_map<std::string, std::string>& sets, GroupBuilder& builder) {
  SeriesResolver& resolver = builder.resolver();
  std::map<std::uint32_t, ServerSockets> servers = place_sockets(hosts, resolver);
  if (servers.empty() && !resolver.has_clients()) {
    // Where no server talks to a client, the servers are each other's clients.
    resolver.count_server_peers(true);
    servers = place_sockets(hosts, resolver);
  }
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    std::map<std::string, std::vector<Component>, NaturalOrder> by_set(natural_less);
    std::set<std::string> heard;
    for (auto& [index, sockets] : servers) {
      if (sockets[d].empty()) continue;
      const std::string& name = resolver.host_name(index);
      const auto set = sets.find(name);
      Component component = socket_component(builder.parts(), name, kDirections[d], std::move(sockets[d]));
      resolver.add_sockets({index, kDirections[d] == GroupKind::kTcpFromClients}, builder.add(component));
      by_set[set == sets.end() ? "" : set->second].push_back(std::move(component));
      heard.insert(name);
    }
    for (auto& [set, members] : by_set) {
      std::string name = set.empty() ? "" : set + " ";
      name += to_name(kDirections[d]);
      builder.add_group(std::move(name), kDirections[d], std::move(members));
    }
    name_silent_servers(kDirections[d], heard, builder);
  }
}

}  // namespace laggard::topology
