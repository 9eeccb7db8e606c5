#include "collect/tcp/socket_filter.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "base/file.h"
#include "collect/tcp/inet_diag.h"

namespace laggard::collect {
namespace {

IpAddress address(const char* text) { return IpPrefix::parse(text)->address; }

TEST(Endpoint, Text) {
  EXPECT_EQ((Endpoint{address("10.0.0.1"), 2049}.text()), "10.0.0.1:2049");
  EXPECT_EQ((Endpoint{address("fe80::1"), 2049}.text()), "[fe80::1]:2049");
  EXPECT_EQ(address("::ffff:10.0.0.1"), address("10.0.0.1")) << "mapped is the same as plain";
}

TEST(Endpoint, Loopback) {
  EXPECT_TRUE(address("127.3.2.1").is_loopback());
  EXPECT_TRUE(address("::1").is_loopback());
  EXPECT_TRUE(address("::ffff:127.0.0.1").is_loopback());
  EXPECT_FALSE(address("10.0.0.1").is_loopback());
  EXPECT_FALSE(address("fe80::1").is_loopback());
  EXPECT_FALSE(address("::").is_loopback());
}

TEST(IpPrefix, Contains) {
  const auto in = [](const char* prefix, const char* other) {
    return IpPrefix::parse(prefix)->contains(address(other));
  };
  EXPECT_TRUE(in("10.1.0.0/16", "10.1.255.255"));
  EXPECT_FALSE(in("10.1.0.0/16", "10.2.0.0"));
  EXPECT_TRUE(in("10.1.2.0/23", "10.1.3.4"));
  EXPECT_FALSE(in("10.1.2.0/23", "10.1.4.4"));
  EXPECT_TRUE(in("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(in("10.1.2.3", "10.1.2.4"));
  EXPECT_TRUE(in("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(in("0.0.0.0/0", "fd00::1"));
  EXPECT_TRUE(in("fd00::/8", "fdff::1"));
  EXPECT_TRUE(in("::/0", "fd00::1"));
  EXPECT_FALSE(in("::/0", "1.2.3.4"));
}

TEST(IpPrefix, MistakesAreNamed) {
  for (const char* wrong :
       {"", "fs1", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "fd00::/129", "1.2.3.4/x"}) {
    const auto parsed = IpPrefix::parse(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::kBadUse);
  }
}

IpPrefix prefix(const char* text) { return *IpPrefix::parse(text); }

/// The kernel's interpreter (net/ipv4/inet_diag.c), rewritten for mapped addresses.
bool kernel_accepts(const std::vector<std::byte>& program, const Endpoint& local, const Endpoint& peer) {
  auto left = static_cast<std::ptrdiff_t>(program.size());
  const std::byte* at = program.data();
  while (left > 0) {
    inet_diag_bc_op op{};
    std::memcpy(&op, at, sizeof op);
    inet_diag_bc_op operand{};
    if (left >= 8) std::memcpy(&operand, at + 4, sizeof operand);
    bool yes = true;
    switch (op.code) {
      case INET_DIAG_BC_JMP:
        yes = false;
        break;
      case INET_DIAG_BC_S_GE:
        yes = local.port >= operand.no;
        break;
      case INET_DIAG_BC_S_LE:
        yes = local.port <= operand.no;
        break;
      case INET_DIAG_BC_D_GE:
        yes = peer.port >= operand.no;
        break;
      case INET_DIAG_BC_D_LE:
        yes = peer.port <= operand.no;
        break;
      case INET_DIAG_BC_D_COND: {
        inet_diag_hostcond condition{};
        std::memcpy(&condition, at + 4, sizeof condition);
        std::array<std::uint8_t, 16> bytes{};
        const bool v4 = condition.family == AF_INET;
        std::memcpy(bytes.data(), at + 4 + sizeof condition, v4 ? 4 : 16);
        const IpPrefix wanted{v4 ? IpAddress::from_v4(bytes.data()) : IpAddress::from_v6(bytes.data()),
                              condition.prefix_len + (v4 ? 96 : 0)};
        yes = wanted.contains(peer.address);
        break;
      }
      default:
        ADD_FAILURE() << "unknown op " << int{op.code};
    }
    const std::ptrdiff_t step = yes ? op.yes : op.no;
    EXPECT_GE(step, 4);
    EXPECT_EQ(step % 4, 0);
    EXPECT_LE(step, left + 4);
    if (step < 4) return false;
    left -= step;
    at += step;
  }
  return left == 0;
}

rc::Gen<Endpoint> endpoints() {
  const auto address =
      rc::gen::element(prefix("10.0.0.1").address, prefix("10.0.1.7").address, prefix("127.0.0.1").address,
                       prefix("::1").address, prefix("fd00::5").address, prefix("fd01::5").address);
  const auto port = rc::gen::element<std::uint16_t>(0, 1, 801, 2049, 65535);
  return rc::gen::build<Endpoint>(rc::gen::set(&Endpoint::address, address),
                                  rc::gen::set(&Endpoint::port, port));
}

RC_GTEST_PROP(SocketFilter, TheKernelsProgramSaysTheSameAsMatches, ()) {
  SocketFilter filter;
  filter.ports =
      *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::element<std::uint16_t>(1, 801, 2049, 65535));
  filter.peers = *rc::gen::container<std::vector<IpPrefix>>(
      rc::gen::element(prefix("10.0.0.0/24"), prefix("10.0.1.7"), prefix("127.0.0.0/8"), prefix("fd00::/16"),
                       prefix("::1"), prefix("0.0.0.0/0"), prefix("::/0")));
  const std::vector<std::byte> program = filter.bytecode();
  const Endpoint local = *endpoints();
  const Endpoint peer = *endpoints();
  // A local loopback address has a loopback peer: the program tests the peer only.
  RC_PRE(local.address.is_loopback() == peer.address.is_loopback());
  if (!program.empty()) RC_ASSERT(kernel_accepts(program, local, peer) == filter.matches(local, peer));
}

TEST(SocketFilter, LoopbackOnlyWhenAskedFor) {
  const Endpoint a{prefix("127.0.0.1").address, 1};
  EXPECT_FALSE(SocketFilter{}.matches(a, a));
  EXPECT_TRUE((SocketFilter{{}, {prefix("127.0.0.0/8")}}.matches(a, a)));
  EXPECT_FALSE((SocketFilter{{}, {prefix("0.0.0.0/0")}}.matches(a, a)));
}

TEST(SocketFilter, ProgramsBeyondTheirJumpsAreNotMade) {
  SocketFilter filter;
  for (std::uint16_t port = 1; port < 4000; ++port) filter.ports.push_back(port);
  EXPECT_TRUE(filter.bytecode().empty());
}

/// A real connection on loopback.
class Loopback {
 public:
  explicit Loopback(int family) {
    listener_ = Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    client_ = Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_storage storage{};
    socklen_t size = family == AF_INET6 ? sizeof six : sizeof four;
    std::memcpy(&storage, family == AF_INET6 ? static_cast<void*>(&six) : static_cast<void*>(&four), size);
    auto* where = reinterpret_cast<sockaddr*>(&storage);
    ok_ = ::bind(listener_.get(), where, size) == 0 && ::listen(listener_.get(), 1) == 0 &&
          ::getsockname(listener_.get(), where, &size) == 0 && ::connect(client_.get(), where, size) == 0;
    accepted_ = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::memcpy(&four, &storage, sizeof four);  // The port lies in the same place in both families.
    port_ = ntohs(four.sin_port);
  }
  [[nodiscard]] bool ok() const { return ok_ && accepted_.valid(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  Fd listener_;
  Fd client_;
  Fd accepted_;
  bool ok_ = false;
  std::uint16_t port_ = 0;
};

std::size_t connections(SocketFilter filter) {
  auto socket = DiagSocket::open(std::move(filter));
  EXPECT_TRUE(socket) << socket.error().message();
  std::size_t seen = 0;
  const Status dumped = (*socket)->dump([&](const TcpSample& sample) {
    EXPECT_EQ(sample.present & 1U, 1U);
    EXPECT_GT(sample.values[0], 0U) << "a congestion window is at least one segment";
    ++seen;
  });
  EXPECT_TRUE(dumped) << dumped.error().message();
  return seen;
}

class RealKernel : public testing::TestWithParam<int> {};

TEST_P(RealKernel, AcceptsTheProgramAndFindsBothEnds) {
  const Loopback connection(GetParam());
  if (!connection.ok()) GTEST_SKIP() << "no loopback connection of this family here";
  if (!DiagSocket::open({})) GTEST_SKIP() << "no sock_diag here";
  const IpPrefix loopback = prefix(GetParam() == AF_INET ? "127.0.0.0/8" : "::1");
  EXPECT_EQ(connections({{connection.port()}, {loopback}}), 2U);
  EXPECT_EQ(connections({{connection.port()}, {prefix("10.255.0.0/16"), loopback}}), 2U);
  EXPECT_EQ(connections({{connection.port()}, {prefix("10.255.0.0/16"), prefix("fd99::/16")}}), 0U);
  EXPECT_EQ(connections({{connection.port()}, {}}), 0U) << "loopback was not asked for";
}

INSTANTIATE_TEST_SUITE_P(Families, RealKernel, testing::Values(AF_INET, AF_INET6));

}  // namespace
}  // namespace laggard::collect
