#pragma once

#include <cstdint>

#include "lab/sim/event_queue.h"

namespace laggard::lab {

/// What a client asks of a server.
enum class RpcKind : std::uint8_t {
  kQuery,   ///< Answered from memory: lookups, attributes, locks.
  kUpdate,  ///< Changes metadata: entries, attributes, objects.
  kRead,
  kWrite,
};

struct Rpc {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  RpcKind kind = RpcKind::kQuery;
  std::int64_t at = 0;      ///< Position on the server's disk.
  std::int64_t bytes = 0;   ///< Of data.
  std::uint32_t pages = 1;  ///< Of the server's databases that an update changes.
  Signal done{};
};

/// The part of a server behind its network interface.
class Service {
 public:
  virtual ~Service() = default;
  /// \param thread  number of the server thread that handles it, unique among those that are at work.
  /// \param served  raised when the answer can go out.
  virtual void serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) = 0;
};

}  // namespace laggard::lab
