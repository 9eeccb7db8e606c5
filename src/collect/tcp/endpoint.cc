#include "collect/tcp/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kMappedBits = 96;

}  // namespace

IpAddress IpAddress::from_v4(const std::uint8_t* four_bytes) {
  IpAddress address;
  std::copy(kMapped.begin(), kMapped.end(), address.bytes.begin());
  std::copy_n(four_bytes, 4, address.bytes.begin() + kMapped.size());
  return address;
}

IpAddress IpAddress::from_v6(const std::uint8_t* sixteen_bytes) {
  IpAddress address;
  std::copy_n(sixteen_bytes, address.bytes.size(), address.bytes.begin());
  return address;
}

bool IpAddress::is_v4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()); }

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes[12] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (is_v4()) {
    ::inet_ntop(AF_INET, bytes.data() + kMapped.size(), buffer.data(), buffer.size());
  } else {
    ::inet_ntop(AF_INET6, bytes.data(), buffer.data(), buffer.size());
  }
  return buffer.data();
}

std::string Endpoint::text() const {
  const std::string number = std::to_string(port);
  return address.is_v4() ? address.text() + ":" + number : "[" + address.text() + "]:" + number;
}

Result<IpPrefix> IpPrefix::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  const auto wrong = [&](const char* what) { return fail(ErrorCode::kBadUse, std::string(text), what); };
  IpPrefix prefix;
  std::array<std::uint8_t, 16> bytes{};
  int longest = 128;
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) {
    prefix.address = IpAddress::from_v4(bytes.data());
    longest = 32;
  } else if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
    prefix.address = IpAddress::from_v6(bytes.data());
  } else {
    return wrong("is not an IP address or a prefix such as 10.1.0.0/16 (names are not looked up)");
  }
  int length = longest;
  if (slash != std::string_view::npos) {
    const std::optional<int> given = to_number<int>(text.substr(slash + 1));
    if (!given || *given < 0 || *given > longest) return wrong("the number after / is not a prefix length");
    length = *given;
  }
  prefix.length = longest == 32 ? length + kMappedBits : length;
  return prefix;
}

bool IpPrefix::contains(const IpAddress& other) const {
  // `::/0` means every IPv6 address: IPv4 is inside it only by our way of writing it.
  if (length < kMappedBits && other.is_v4()) return false;
  const auto whole = static_cast<std::size_t>(length / 8);
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  other.bytes.begin())) {
    return false;
  }
  const int rest = length % 8;
  if (rest == 0) return true;
  const int difference = address.bytes[whole] ^ other.bytes[whole];
  return (difference >> (8 - rest)) == 0;
}

}  // namespace laggard::collect
