#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laggard {

/// The two ends of a connection, without ports, in canonical form.
struct SocketEnds {
  std::string local;
  std::string peer;
};

/// Reads a tcp device name `local>peer`, each `address:port`, IPv6 in brackets: `10.0.0.1:7>[fd00::2]:80`.
[[nodiscard]] std::optional<SocketEnds> parse_socket(std::string_view device);

/// One spelling per address: IPv6 as inet_ntop writes it, IPv4-mapped IPv6 as IPv4, without brackets, zone
/// and prefix length. What is no address (a host name) comes back as it is.
[[nodiscard]] std::string canonical_address(std::string_view text);

[[nodiscard]] bool is_ip_address(std::string_view canonical);

/// A host's name without its domain; an address is whole.
[[nodiscard]] std::string_view without_domain(std::string_view host);

/// Whether two names may be of one host: they are the same, or one of them lacks the other's domain.
[[nodiscard]] bool may_be_same_host(std::string_view one, std::string_view other);

/// True of loopback, unspecified and link-local addresses, which mean another machine on every machine.
[[nodiscard]] bool is_host_local(std::string_view canonical);

}  // namespace laggard
