#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::collect {

/// An IP address: IPv6, or IPv4 in its mapped form `::ffff:a.b.c.d`, so that a socket that carries IPv4 over
/// an IPv6 socket is the same as one of IPv4.
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
  int length = 128;  ///< Bits of the 128-bit form: 96 more than IPv4 writes.

  [[nodiscard]] static Result<IpPrefix> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& other) const;
};

}  // namespace laggard::collect
