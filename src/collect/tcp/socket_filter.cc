#include "collect/tcp/socket_filter.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>

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
  // `::/0` means every IPv6 address; IPv4 lies inside it only because we keep it in mapped form.
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

namespace {

/// The kernel's program is a chain of forward jumps; it accepts when it ends exactly at its end and rejects
/// when it ends four bytes beyond. A Block follows the same rule for a part of the program: true falls
/// through to its end, false jumps to four bytes beyond, and joining blocks adjusts these jumps.
class Block {
 public:
  /// Bytes that a block may grow to: jumps have 16 bits.
  static constexpr std::size_t kLongest = 60'000;
  static constexpr std::size_t kOp = sizeof(inet_diag_bc_op);

  static Block port(unsigned char code, std::uint16_t port) {
    Block block;
    block.op(code, 2 * kOp, kOp * 3);
    block.op(0, 0, port);  // The operand travels in the `no` of a second op.
    return block;
  }

  static Block address(unsigned char code, const IpPrefix& prefix) {
    const bool v4 = prefix.address.is_v4() && prefix.length >= 96;
    const std::size_t address_bytes = v4 ? 4 : 16;
    inet_diag_hostcond condition{};
    condition.family = v4 ? AF_INET : AF_INET6;
    condition.prefix_len = static_cast<std::uint8_t>(v4 ? prefix.length - 96 : prefix.length);
    condition.port = -1;
    const std::size_t size = kOp + sizeof condition + address_bytes;
    Block block;
    block.op(code, static_cast<unsigned char>(size), size + kOp);
    block.append(&condition, sizeof condition);
    block.append(prefix.address.bytes.data() + (16 - address_bytes), address_bytes);
    return block;
  }

  /// Where `*this` is false, skips `other` too.
  void both(const Block& other) {
    const std::size_t end = bytes_.size();
    for (const std::size_t at : jumps_) {
      if (target(at) == end + kOp) set_no(at, no(at) + other.bytes_.size());
    }
    take(other);
  }

  /// Where `*this` is true, jumps over `other`; where it is false, goes on with it.
  void either(const Block& other) {
    op(INET_DIAG_BC_JMP, kOp, kOp + other.bytes_.size());
    take(other);
  }

  void negate() { op(INET_DIAG_BC_JMP, kOp, 2 * kOp); }

  [[nodiscard]] std::vector<std::byte> bytes() && { return std::move(bytes_); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  void op(unsigned char code, std::size_t yes, std::size_t no) {
    const inet_diag_bc_op command{code, static_cast<unsigned char>(yes), static_cast<unsigned short>(no)};
    if (yes != 0) jumps_.push_back(bytes_.size());
    append(&command, sizeof command);
  }

  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }

  void take(const Block& other) {
    for (const std::size_t at : other.jumps_) jumps_.push_back(bytes_.size() + at);
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
  }

  [[nodiscard]] std::size_t no(std::size_t at) const {
    inet_diag_bc_op command{};
    std::memcpy(&command, bytes_.data() + at, sizeof command);
    return command.no;
  }
  [[nodiscard]] std::size_t target(std::size_t at) const { return at + no(at); }
  void set_no(std::size_t at, std::size_t value) {
    inet_diag_bc_op command{};
    std::memcpy(&command, bytes_.data() + at, sizeof command);
    command.no = static_cast<unsigned short>(value);
    std::memcpy(bytes_.data() + at, &command, sizeof command);
  }

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> jumps_;  ///< Offsets of the ops (not of operands).
};

/// `port >= p and port <= p`: only kernels since 5.8 can test for equality.
Block port_is(unsigned char at_least, unsigned char at_most, std::uint16_t port) {
  Block block = Block::port(at_least, port);
  block.both(Block::port(at_most, port));
  return block;
}

IpPrefix loopback_v4() {
  const std::array<std::uint8_t, 4> net{127, 0, 0, 0};
  return {IpAddress::from_v4(net.data()), 96 + 8};
}

IpPrefix loopback_v6() {
  IpAddress address;
  address.bytes[15] = 1;
  return {address, 128};
}

void add_either(std::optional<Block>& all, const Block& one) {
  if (all) {
    all->either(one);
  } else {
    all = one;
  }
}

void add_both(std::optional<Block>& all, const Block& one) {
  if (all) {
    all->both(one);
  } else {
    all = one;
  }
}

}  // namespace

bool SocketFilter::wants_loopback() const {
  return std::any_of(peers.begin(), peers.end(), [](const IpPrefix& prefix) {
    return prefix.address.is_loopback() && prefix.length >= loopback_v4().length;
  });
}

bool SocketFilter::matches(const Endpoint& local, const Endpoint& peer) const {
  if (!wants_loopback() && (local.address.is_loopback() || peer.address.is_loopback())) return false;
  if (!ports.empty() && std::none_of(ports.begin(), ports.end(), [&](std::uint16_t port) {
        return port == local.port || port == peer.port;
      })) {
    return false;
  }
  return peers.empty() || std::any_of(peers.begin(), peers.end(),
                                      [&](const IpPrefix& prefix) { return prefix.contains(peer.address); });
}

std::vector<std::byte> SocketFilter::bytecode() const {
  std::optional<Block> by_port;
  for (const std::uint16_t port : ports) {
    add_either(by_port, port_is(INET_DIAG_BC_S_GE, INET_DIAG_BC_S_LE, port));
    add_either(by_port, port_is(INET_DIAG_BC_D_GE, INET_DIAG_BC_D_LE, port));
    if (by_port->size() > Block::kLongest) return {};
  }
  std::optional<Block> by_peer;
  for (const IpPrefix& prefix : peers) {
    add_either(by_peer, Block::address(INET_DIAG_BC_D_COND, prefix));
    if (by_peer->size() > Block::kLongest) return {};
  }
  std::optional<Block> all;
  if (!wants_loopback()) {
    for (const IpPrefix& prefix : {loopback_v4(), loopback_v6()}) {
      Block outside = Block::address(INET_DIAG_BC_D_COND, prefix);
      outside.negate();
      add_both(all, outside);
    }
  }
  if (by_port) add_both(all, *by_port);
  if (by_peer) add_both(all, *by_peer);
  if (!all || all->size() > Block::kLongest) return {};
  return std::move(*all).bytes();
}

}  // namespace laggard::collect
