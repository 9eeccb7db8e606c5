#pragma once

#include <cstddef>
#include <vector>

#include "collect/tcp/endpoint.h"

namespace laggard::collect {

/// Which connections to record.
struct SocketFilter {
  std::vector<std::uint16_t> ports;  ///< Either end's port is one of these; empty: any.
  std::vector<IpPrefix> peers;       ///< The peer's address is in one of these; empty: any but loopback.

  /// Loopback connections never touch a network: they count only when a peer prefix lies in loopback.
  [[nodiscard]] bool wants_loopback() const;
  [[nodiscard]] bool matches(const Endpoint& local, const Endpoint& peer) const;

  /// The same test as a program for the kernel (INET_DIAG_REQ_BYTECODE, linux/inet_diag.h), so that it does
  /// not copy out what is not wanted; empty when there is nothing to test or when the program would be too
  /// long for its 16-bit jumps. `matches` stays the judge of what comes back.
  [[nodiscard]] std::vector<std::byte> bytecode() const;
};

}  // namespace laggard::collect
