#include "engine/one_client.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "model/address.h"

namespace laggard::engine {

OneClient::OneClient(const Grouping& grouping) {
  if (grouping.clients.empty()) return;
  client_ = grouping.clients[(grouping.clients.size() - 1) / 2];
  if (const auto host = grouping.resolver.host(client_)) {
    for (std::string& address : grouping.resolver.addresses_of(*host)) addresses_.insert(std::move(address));
  }
}

bool OneClient::concerns_client(const SampleTable& table, const std::string& socket) const {
  if (client_.empty() || table.host() == client_) return true;
  const auto ends = parse_socket(socket);
  return ends && addresses_.contains(ends->peer);
}

std::optional<SampleTable> OneClient::narrowed(const SampleTable& connections) const {
  std::vector<std::size_t> sockets;
  std::vector<std::string> names;
  for (std::size_t d = 0; d < connections.devices().size(); ++d) {
    if (!concerns_client(connections, connections.devices()[d])) continue;
    sockets.push_back(d);
    names.push_back(connections.devices()[d]);
  }
  if (sockets.empty()) return std::nullopt;
  const auto window = connections.counter_index("snd_cwnd");
  if (!window) return std::nullopt;
  SampleTable seen(connections.host(), connections.kind(), {connections.counters()[*window]},
                   std::move(names), connections.times());
  seen.set_boot(connections.boot());
  for (std::size_t d = 0; d < sockets.size(); ++d) {
    seen.copy(connections, *window, sockets[d], 0, d);
  }
  return seen;
}

}  // namespace laggard::engine
