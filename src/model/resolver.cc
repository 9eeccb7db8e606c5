#include "model/resolver.h"

#include <algorithm>
#include <utility>

namespace laggard {

namespace {

/// Host and device names hold no NUL, so that it keeps them apart.
std::string device_key(std::string_view host, DeviceKind kind, std::string_view device) {
  std::string key;
  key.reserve(host.size() + device.size() + 2);
  key += static_cast<char>('0' + static_cast<int>(kind));
  key += host;
  key += '\0';
  key += device;
  return key;
}

}  // namespace

std::optional<ComponentId> SeriesResolver::find(std::string_view host, DeviceKind kind,
                                                std::string_view device) const {
  if (kind != DeviceKind::kTcp) {
    const auto found = devices_.find(device_key(host, kind, device));
    return found == devices_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto where = place(host, device);
  if (!where) return std::nullopt;
  const HostEntry& server = hosts_[where->server];
  return where->from_client ? server.in : server.out;
}

std::optional<SeriesResolver::SocketPlace> SeriesResolver::place(std::string_view host,
                                                                 std::string_view socket) const {
  const auto found = host_index_.find(std::string(host));
  if (found == host_index_.end()) return std::nullopt;
  const std::uint32_t observer = found->second;
  const auto ends = parse_socket(socket);
  if (!ends || is_host_local(ends->local) || is_host_local(ends->peer)) return std::nullopt;
  const Endpoint peer = endpoint(ends->peer);
  const bool peer_is_server = peer.party == Party::kServer;
  switch (hosts_[observer].party) {
    case Party::kClient:
      if (peer_is_server) return SocketPlace{peer.host, true};
      return std::nullopt;
    case Party::kServer: {
      if (peer.party != Party::kUnknown && peer.host == observer) return std::nullopt;
      const bool counts = peer_is_server                  ? server_peers_count_
                          : peer.party == Party::kUnknown ? unknown_are_clients_
                                                          : true;
      if (counts) return SocketPlace{observer, false};
      return std::nullopt;
    }
    case Party::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

SeriesResolver::Endpoint SeriesResolver::endpoint(const std::string& address) const {
  auto found = address_host_.find(address);
  if (found == address_host_.end()) {
    // Sources without numeric addresses write host names.
    found = host_index_.find(address);
    if (found == host_index_.end()) return {};
  }
  if (found->second == kAmbiguous) return {};
  return {hosts_[found->second].party, found->second};
}

std::uint32_t SeriesResolver::add_host(const std::string& name, Party party) {
  const auto index = static_cast<std::uint32_t>(hosts_.size());
  const auto [entry, added] = host_index_.try_emplace(name, index);
  if (added) hosts_.push_back({.name = name, .party = party, .out = std::nullopt, .in = std::nullopt});
  hosts_[entry->second].party = party;
  return entry->second;
}

std::optional<std::uint32_t> SeriesResolver::add_address(const std::string& address, std::uint32_t host) {
  const auto [entry, added] = address_host_.try_emplace(address, host);
  if (added || entry->second == host || entry->second == kAmbiguous) return std::nullopt;
  return std::exchange(entry->second, kAmbiguous);
}

std::optional<std::uint32_t> SeriesResolver::host(const std::string& name) const {
  const auto found = host_index_.find(name);
  return found == host_index_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> SeriesResolver::addresses_of(std::uint32_t host) const {
  std::vector<std::string> out;
  for (const auto& [address, owner] : address_host_) {
    if (owner == host) out.push_back(address);
  }
  return out;
}

bool SeriesResolver::has_clients() const {
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [](const HostEntry& host) { return host.party == Party::kClient; });
}

void SeriesResolver::add_device(const SeriesKey& key, ComponentId component) {
  devices_.try_emplace(device_key(key.host, key.kind, key.device), component);
}

void SeriesResolver::add_sockets(SocketPlace place, ComponentId component) {
  HostEntry& server = hosts_[place.server];
  (place.from_client ? server.in : server.out) = component;
}

}  // namespace laggard
