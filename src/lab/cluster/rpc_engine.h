#pragma once

#include <cstdint>
#include <vector>

#include "lab/cluster/fabric.h"
#include "lab/cluster/service.h"

namespace laggard::lab {

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
