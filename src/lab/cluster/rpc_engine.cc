#include "lab/cluster/rpc_engine.h"

#include <utility>

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

RpcEngine::RpcEngine(Fabric& fabric, std::vector<Service*> services, const MessageSizes& sizes)
    : fabric_(fabric), services_(std::move(services)), sizes_(sizes) {}

void RpcEngine::start(const Rpc& rpc) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(rpcs_.size());
    rpcs_.push_back(rpc);
  } else {
    slot = free_.back();
    free_.pop_back();
    rpcs_[slot] = rpc;
  }
  const std::int64_t bytes = sizes_.request + (is_eager(rpc) ? rpc.bytes : 0);
  fabric_.to_server(rpc.client, rpc.server).send(bytes, {this, kRequested, slot});
}

void RpcEngine::on_event(std::uint32_t kind, std::uint64_t about) {
  const Rpc rpc = rpcs_[about];
  const auto slot = static_cast<std::uint32_t>(about);
  switch (kind) {
    case kRequested:
      if (rpc.kind == RpcKind::kWrite && !is_eager(rpc)) {
        fabric_.to_client(rpc.client, rpc.server).send(sizes_.ready, {this, kReady, slot});
      } else {
        services_[rpc.server]->serve(rpc, slot, {this, kServed, slot});
      }
      return;
    case kReady:
      fabric_.to_server(rpc.client, rpc.server).send(rpc.bytes, {this, kDataCame, slot});
      return;
    case kDataCame:
      services_[rpc.server]->serve(rpc, slot, {this, kServed, slot});
      return;
    case kServed: {
      const std::int64_t data = rpc.kind == RpcKind::kRead ? rpc.bytes : 0;
      fabric_.to_client(rpc.client, rpc.server).send(sizes_.answer + data, {this, kAnswered, slot});
      return;
    }
    default:
      free_.push_back(slot);
      rpc.done.raise();
      return;
  }
}

}  // namespace laggard::lab
