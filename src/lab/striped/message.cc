#include "lab/striped/message.h"

#include <cstring>

namespace laggard::lab::striped {

namespace {

constexpr std::uint32_t kMagic = 0x53504c31;

struct OnTheWire {
  std::uint32_t magic;
  std::uint32_t code;
  std::uint64_t object, offset, length, body;
};
static_assert(sizeof(OnTheWire) == kHeaderBytes);

}  // namespace

HeaderBytes encode(const Header& header) {
  const OnTheWire wire{kMagic, header.code, header.object, header.offset, header.length, header.body};
  HeaderBytes bytes{};
  std::memcpy(bytes.data(), &wire, sizeof wire);
  return bytes;
}

std::optional<Header> decode(const HeaderBytes& bytes) {
  OnTheWire wire{};
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.magic != kMagic || wire.body > kMostBody) return std::nullopt;
  return Header{wire.code, wire.object, wire.offset, wire.length, wire.body};
}

}  // namespace laggard::lab::striped
