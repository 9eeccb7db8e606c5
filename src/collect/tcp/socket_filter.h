#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// An IP address: IPv6, or IPv4 in its mapped form `::ffff:a.b.c.d`, so that an IPv6 socket that carries IPv4
/// equals an IPv4 socket.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};

  [[nodiscard]] static IpAddress from_v4(const std::uint8_t* four_bytes);
  [[nodiscard]] static IpAddress from_v6(const std::uint8_t* sixteen_bytes);
  [[nodiscard]] bool is_v4() const;
  [[nodiscard]] bool is_loopback() const;  // 127.0.0.0/8, ::1
  [[nodiscard]] std::string text() const;
  auto operator<=>(const IpAddress&) const = default;
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;
  [[nodiscard]] std::string text() const;  ///< `10.0.0.1:2049`, `[fe80::1]:2049`
  auto operator<=>(const Endpoint&) const = default;
};

/// `10.1.0.0/16`, `fd00::/8` or a single address.
struct IpPrefix {
  IpAddress address;
  int length = 128;  ///< Bits of the 128-bit form: for IPv4, 96 more than are written.

  [[nodiscard]] static Result<IpPrefix> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& other) const;
};

/// Which connections to record, by their addresses and ports.
struct SocketFilter {
  std::vector<std::uint16_t> ports;  ///< Either end's port is one of these; empty: any.
  std::vector<IpPrefix> peers;       ///< The peer's address is in one of these; empty: any but loopback.

  /// Loopback connections never touch a network: they count only when a peer prefix lies in loopback.
  [[nodiscard]] bool wants_loopback() const;
  [[nodiscard]] bool matches(const Endpoint& local, const Endpoint& peer) const;

  /// The same test as a program for the kernel (INET_DIAG_REQ_BYTECODE, linux/inet_diag.h), so that it copies
  /// out only what is wanted. Empty when there is nothing to test or when the program would be too long for
  /// its 16-bit jumps, so what comes back must still pass `matches`.
  [[nodiscard]] std::vector<std::byte> bytecode() const;
};

}  // namespace laggard::collect
