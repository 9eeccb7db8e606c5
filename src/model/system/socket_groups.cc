#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "model/system/group_builder.h"

namespace laggard {

namespace {

struct ServerSockets {
  std::string set;
  /// Towards clients [0] and from clients [1]: their recorded series, by server name.
  std::array<std::vector<SeriesKey>, 2> series;
};

Component socket_component(const std::string& server, bool from_client, std::vector<SeriesKey> series) {
  Component component;
  component.name = server + (from_client ? "/tcp-in" : "/tcp-out");
  component.host = server;
  component.kind = DeviceKind::kTcp;
  component.parts = {{BlameKind::kLink, server}, {BlameKind::kServer, server}};
  component.series = std::move(series);
  return component;
}

}  // namespace

void learn_addresses(std::span<const RecordedHost> hosts, GroupBuilder& builder) {
  SeriesResolver& resolver = builder.resolver();
  std::map<std::string, std::string> disputed;
  const auto learn = [&](std::string_view text, const std::string& name, std::uint32_t host) {
    const std::string address = canonical_address(text);
    if (is_host_local(address)) return;
    if (resolver.add_address(address, host)) disputed.emplace(address, name);
  };
  for (const RecordedHost& recorded : hosts) {
    const auto host = resolver.host(recorded.name);
    if (!host) continue;
    for (const DeviceInfo* net : recorded.nets) {
      std::string_view addresses = fact(*net, "address");
      for (std::string_view word = take_word(addresses); !word.empty(); word = take_word(addresses)) {
        for (const std::string_view address : split(word, ',')) learn(address, recorded.name, *host);
      }
    }
    for (const DeviceInfo* socket : recorded.sockets) {
      if (const auto ends = parse_socket(socket->device)) learn(ends->local, recorded.name, *host);
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
  std::map<std::uint32_t, ServerSockets> servers;
  bool any = false;
  for (const bool peers_count : {false, true}) {
    // Only where nothing talks to a client are the servers each other's clients.
    resolver.count_server_peers(peers_count);
    for (const RecordedHost& recorded : hosts) {
      for (const DeviceInfo* socket : recorded.sockets) {
        const auto place = resolver.place(recorded.name, socket->device);
        if (!place) continue;
        any = true;
        servers[place->server].series[place->from_client ? 1 : 0].push_back(
            {recorded.name, DeviceKind::kTcp, socket->device});
      }
    }
    if (any || resolver.has_clients()) break;
  }
  using NaturalOrder = bool (*)(std::string_view, std::string_view);
  for (const bool from_client : {false, true}) {
    std::map<std::string, std::vector<Component>, NaturalOrder> by_set(natural_less);
    for (auto& [index, server] : servers) {
      auto& series = server.series[from_client ? 1 : 0];
      if (series.empty()) continue;
      const std::string& name = resolver.host_name(index);
      const auto set = sets.find(name);
      Component component = socket_component(name, from_client, std::move(series));
      resolver.add_sockets({index, from_client}, builder.add(component));
      by_set[set == sets.end() ? "" : set->second].push_back(std::move(component));
    }
    for (auto& [set, members] : by_set) {
      const GroupKind kind = from_client ? GroupKind::kTcpFromClients : GroupKind::kTcpFromServers;
      const std::string name{to_name(kind)};
      builder.add_group(set.empty() ? name : set + " " + name, kind, std::move(members));
    }
  }
}

}  // namespace laggard
