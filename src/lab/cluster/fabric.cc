#include "lab/cluster/fabric.h"

namespace laggard::lab {

Fabric::Fabric(EventQueue& queue, const ClusterSpec& spec, const Random& random)
    : servers_(spec.servers),
      clients_(spec.clients),
      network_(spec.network, spec.servers + spec.clients + 2) {
  for (std::size_t client = 0; client < clients_; ++client) {
    for (std::size_t server = 0; server <= servers_; ++server) {
      const std::size_t host = client_host(client);
      const std::size_t index = client * (servers_ + 1) + server;
      up_.push_back(std::make_unique<TcpFlow>(queue, network_, TcpFlow::Ends{host, server}, spec.tcp,
                                              random.fork("up", index)));
      down_.push_back(std::make_unique<TcpFlow>(queue, network_, TcpFlow::Ends{server, host}, spec.tcp,
                                                random.fork("down", index)));
      up_.back()->set_way_back(*down_.back());
      down_.back()->set_way_back(*up_.back());
    }
  }
}

}  // namespace laggard::lab
