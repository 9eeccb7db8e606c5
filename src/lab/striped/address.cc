#include "lab/striped/address.h"

#include <arpa/inet.h>

#include "base/text.h"

namespace laggard::lab::striped {

Result<sockaddr_in> socket_address(const std::string& address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &result.sin_addr) == 1) return result;
  return fail(ErrorCode::kBadUse, address, "is no IPv4 address");
}

Result<sockaddr_in> socket_address(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto port = to_number<std::uint16_t>(
      colon == std::string::npos ? std::string_view{} : std::string_view(text).substr(colon + 1));
  if (!port) return fail(ErrorCode::kBadUse, text, "is no ADDRESS:PORT");
  return socket_address(text.substr(0, colon), *port);
}

}  // namespace laggard::lab::striped
