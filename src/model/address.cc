#include "model/address.h"

#include <arpa/inet.h>

#include <array>
#include <cstdint>

namespace laggard {

namespace {

/// `address:port` without the port.
std::optional<std::string> address_of(std::string_view end) {
  const std::size_t colon = end.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view address = end.substr(0, colon);
  // An IPv6 address without brackets cannot be told from its port.
  if (address.front() != '[' && address.find(':') != std::string_view::npos) return std::nullopt;
  return canonical_address(address);
}

}  // namespace

std::optional<SocketEnds> parse_socket(std::string_view device) {
  const std::size_t arrow = device.find('>');
  if (arrow == std::string_view::npos) return std::nullopt;
  auto local = address_of(device.substr(0, arrow));
  auto peer = address_of(device.substr(arrow + 1));
  if (!local || !peer) return std::nullopt;
  return SocketEnds{std::move(*local), std::move(*peer)};
}

std::string canonical_address(std::string_view text) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  text = text.substr(0, text.find('/'));
  text = text.substr(0, text.find('%'));
  std::string name(text);
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return name;
  in6_addr v6{};
  if (inet_pton(AF_INET6, name.c_str(), &v6) != 1) return name;
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, &v6.s6_addr[12], out.data(), out.size());
  } else {
    inet_ntop(AF_INET6, &v6, out.data(), out.size());
  }
  return out.data();
}

bool is_ip_address(std::string_view canonical) {
  const std::string text(canonical);
  in_addr v4{};
  in6_addr v6{};
  return inet_pton(AF_INET, text.c_str(), &v4) == 1 || inet_pton(AF_INET6, text.c_str(), &v6) == 1;
}

std::string_view without_domain(std::string_view host) {
  return is_ip_address(canonical_address(host)) ? host : host.substr(0, host.find('.'));
}

bool may_be_same_host(std::string_view one, std::string_view other) {
  if (one == other) return true;
  return without_domain(one) == other || without_domain(other) == one;
}

bool is_host_local(std::string_view canonical) {
  const std::string name(canonical);
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) {
    const std::uint32_t host_order = ntohl(v4.s_addr);
    return host_order >> 24U == 127 || host_order == 0 || host_order >> 16U == 0xa9fe;
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, name.c_str(), &v6) != 1) return canonical.empty();
  const bool link_local = v6.s6_addr[0] == 0xfe && (v6.s6_addr[1] & 0xc0U) == 0x80;
  return link_local || name == "::1" || name == "::";
}

}  // namespace laggard
