#include "lab/cmd/one_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/address.h"

namespace laggard::lab {

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

std::optional<SampleTable> OneClient::narrowed(const SampleTable& table) const {
  std::vector<std::size_t> sockets;
  std::vector<std::string> names;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    if (!concerns_client(table, table.devices()[d])) continue;
    sockets.push_back(d);
    names.push_back(table.devices()[d]);
  }
  if (sockets.empty()) return std::nullopt;
  const auto window = table.counter_index("snd_cwnd");
  if (!window) return std::nullopt;
  SampleTable seen(table.host(), table.kind(), {table.counters()[*window]}, std::move(names), table.times());
  seen.set_boot(table.boot());
  for (std::size_t d = 0; d < sockets.size(); ++d) {
    std::ranges::copy(table.series(*window, sockets[d]), seen.series(0, d).begin());
    std::ranges::copy(table.presence(*window, sockets[d]), seen.presence(0, d).begin());
  }
  return seen;
}

}  // namespace laggard::lab
