#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lab/cluster/scenario.h"
#include "lab/cluster/servers.h"
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

/// Carries requests from clients to servers and answers back.
///   query, update:  request -> served -> answer
///   read:           request -> read from disk -> answer with the data
///   write:          request -> "ready" -> data -> written to disk -> answer; small ones in one go
class RpcEngine final : public EventHandler {
 public:
  /// \param services  one per server, the metadata server's last; they outlive the engine.
  RpcEngine(Fabric& fabric, std::vector<Service*> services, const MessageSizes& sizes);

  /// `rpc.done` is raised when the answer has reached the client.
  void start(const Rpc& rpc);

  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Stage : std::uint32_t { kRequested, kReady, kDataCame, kServed, kAnswered };

  [[nodiscard]] bool is_eager(const Rpc& rpc) const {
    return rpc.kind == RpcKind::kWrite && rpc.bytes <= sizes_.largest_eager;
  }

  Fabric& fabric_;
  std::vector<Service*> services_;
  MessageSizes sizes_;
  std::vector<Rpc> rpcs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace laggard::lab
