#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>

#include "base/error.h"

namespace laggard::lab::striped {

/// An IPv4 address and a port for the kernel.
[[nodiscard]] Result<sockaddr_in> socket_address(const std::string& address, std::uint16_t port);
/// Of `10.77.0.1:3334`.
[[nodiscard]] Result<sockaddr_in> socket_address(const std::string& text);

/// The kernel takes addresses of all families by one type.
[[nodiscard]] inline sockaddr* as_generic(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

}  // namespace laggard::lab::striped
