#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/sim/network.h"
#include "lab/sim/tcp_flow.h"

namespace laggard::lab {

/// All hosts and a connection between every client and every server. Hosts are numbered: servers, the
/// metadata server (Lustre's; idle otherwise), clients, and a third party for the network hogs.
class Fabric {
 public:
  Fabric(EventQueue& queue, const ClusterSpec& spec, const Random& random);

  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }

  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] std::size_t clients() const { return clients_; }
  [[nodiscard]] std::size_t metadata_server() const { return servers_; }
  [[nodiscard]] std::size_t client_host(std::size_t client) const { return servers_ + 1 + client; }
  [[nodiscard]] std::size_t third_party() const { return servers_ + 1 + clients_; }

  [[nodiscard]] TcpFlow& to_server(std::size_t client, std::size_t server) {
    return *up_[client * (servers_ + 1) + server];
  }
  [[nodiscard]] TcpFlow& to_client(std::size_t client, std::size_t server) {
    return *down_[client * (servers_ + 1) + server];
  }

 private:
  std::size_t servers_;
  std::size_t clients_;
  Network network_;
  std::vector<std::unique_ptr<TcpFlow>> up_;
  std::vector<std::unique_ptr<TcpFlow>> down_;
};

}  // namespace laggard::lab
