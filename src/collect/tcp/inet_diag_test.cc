#include "collect/tcp/inet_diag.h"

#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <cstring>

namespace laggard::collect {
namespace {
using Bytes = std::vector<std::byte>;

void append(Bytes& bytes, const void* data, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), from, from + size);
  bytes.resize((bytes.size() + 3) & ~std::size_t{3});
}

tcp_info some_info() {
  tcp_info info{};
  info.tcpi_snd_cwnd = 12;
  info.tcpi_total_retrans = 3;
  info.tcpi_lost = 1;
  info.tcpi_rtt = 250;
  info.tcpi_bytes_sent = 5'000'000'000;
  info.tcpi_busy_time = 7'000'000;
  info.tcpi_rwnd_limited = 800'000;
  info.tcpi_sndbuf_limited = 90'000;
  info.tcpi_notsent_bytes = 4096;
  info.tcpi_unacked = 9;
  info.tcpi_min_rtt = 120;
  info.tcpi_last_data_sent = 4;
  info.tcpi_last_data_recv = 8;
  return info;
}

Bytes message(std::uint8_t family, std::uint8_t state, std::size_t info_size = sizeof(tcp_info),
              const tcp_info& info = some_info()) {
  inet_diag_msg head{};
  head.idiag_family = family;
  head.idiag_state = state;
  head.id.idiag_sport = htons(2049);
  head.id.idiag_dport = htons(801);
  if (family == AF_INET) {
    head.id.idiag_src[0] = htonl(0x0a000001);
    head.id.idiag_dst[0] = htonl(0x0a000007);
  } else {
    head.id.idiag_src[2] = htonl(0xffff);
    head.id.idiag_src[3] = htonl(0x0a000001);
    head.id.idiag_dst[0] = htonl(0xfd000000);
    head.id.idiag_dst[3] = htonl(7);
  }
  Bytes bytes;
  append(bytes, &head, sizeof head);
  const nlattr congestion{sizeof(nlattr) + 6, INET_DIAG_CONG};
  append(bytes, &congestion, sizeof congestion);
  append(bytes, "cubic", 6);
  const nlattr attribute{static_cast<std::uint16_t>(sizeof(nlattr) + info_size), INET_DIAG_INFO};
  append(bytes, &attribute, sizeof attribute);
  append(bytes, &info, info_size);
  return bytes;
}

Bytes netlink(std::uint16_t type, std::uint32_t sequence, const Bytes& payload) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + payload.size());
  header.nlmsg_type = type;
  header.nlmsg_seq = sequence;
  Bytes bytes;
  append(bytes, &header, sizeof header);
  append(bytes, payload.data(), payload.size());
  return bytes;
}

TEST(InetDiag, ReadsAConnection) {
  const auto sample = parse_diag_message(message(AF_INET, 1));
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->local.text(), "10.0.0.1:2049");
  EXPECT_EQ(sample->peer.text(), "10.0.0.7:801");
  EXPECT_EQ(sample->present, (std::uint32_t{1} << kTcpCounters) - 1);
  EXPECT_EQ(sample->values, (std::array<std::uint64_t, kTcpCounters>{12, 3, 1, 250, 5'000'000'000, 7'000'000,
                                                                     800'000, 90'000, 4096, 9, 120, 1, 0}));
}

/// awaiting, owing
std::pair<std::uint64_t, std::uint64_t> turns(std::uint32_t sent_ms_ago, std::uint32_t received_ms_ago) {
  tcp_info info = some_info();
  info.tcpi_last_data_sent = sent_ms_ago;
  info.tcpi_last_data_recv = received_ms_ago;
  const auto sample = parse_diag_message(message(AF_INET, 1, sizeof info, info));
  if (!sample) return {9, 9};
  return {sample->values[kTcpCounters - 2], sample->values[kTcpCounters - 1]};
}

TEST(InetDiag, TellsWhoseTurnItIs) {
  using Turns = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(turns(0, 4), Turns(1, 0)) << "a request is out";
  EXPECT_EQ(turns(4, 0), Turns(0, 1)) << "a request came in";
  EXPECT_EQ(turns(4, 4), Turns(0, 0)) << "within a jiffy";
  EXPECT_EQ(turns(103'000, 103'004), Turns(1, 0)) << "a controller that holds I/O";
  EXPECT_EQ(turns(150'000, 160'000), Turns(0, 0)) << "what nobody answers";
  EXPECT_EQ(turns(160'000, 150'000), Turns(0, 0));
}

TEST(InetDiag, FoldsMappedAddresses) {
  const auto sample = parse_diag_message(message(AF_INET6, 1));
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->local.text(), "10.0.0.1:2049");
  EXPECT_EQ(sample->peer.text(), "[fd00::7]:801");
}

TEST(InetDiag, OldKernelsTellLess) {
  const auto sample = parse_diag_message(message(AF_INET, 1, offsetof(tcp_info, tcpi_pacing_rate)));
  ASSERT_TRUE(sample);
  constexpr std::uint32_t kTurns = 3U << 11U;
  constexpr std::uint32_t kUnacked = 1U << 9U;
  EXPECT_EQ(sample->present, 15U | kUnacked | kTurns) << "no bytes_sent before Linux 4.19: missing, not zero";
}

TEST(InetDiag, WhatIsNotAConnectionIsNothing) {
  EXPECT_FALSE(parse_diag_message(message(AF_INET, 10))) << "listening";
  EXPECT_FALSE(parse_diag_message(message(AF_UNIX, 1)));
  EXPECT_FALSE(parse_diag_message(message(AF_INET, 1, 0))) << "no TCP_INFO";
  const Bytes whole = message(AF_INET, 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = parse_diag_message(std::span(whole).first(size));
    EXPECT_FALSE(cut && size < sizeof(inet_diag_msg));
  }
}

TEST(InetDiag, ReadsADump) {
  Bytes received = netlink(SOCK_DIAG_BY_FAMILY, 7, message(AF_INET, 1));
  const Bytes stale = netlink(SOCK_DIAG_BY_FAMILY, 6, message(AF_INET, 1));
  received.insert(received.end(), stale.begin(), stale.end());
  const Bytes second = netlink(SOCK_DIAG_BY_FAMILY, 7, message(AF_INET6, 1));
  received.insert(received.end(), second.begin(), second.end());
  int seen = 0;
  const auto count = [&](const TcpSample&) { ++seen; };
  EXPECT_EQ(parse_dump(received, 7, count).state, DumpState::kMore);
  EXPECT_EQ(seen, 2);
  const Bytes done = netlink(NLMSG_DONE, 7, Bytes(4));
  received.insert(received.end(), done.begin(), done.end());
  EXPECT_EQ(parse_dump(received, 7, count).state, DumpState::kDone);
}

TEST(InetDiag, RefusalsAndGarbage) {
  const int refused = -EINVAL;
  Bytes payload;
  append(payload, &refused, sizeof refused);
  const auto ignore = [](const TcpSample&) {};
  const DumpPart part = parse_dump(netlink(NLMSG_ERROR, 1, payload), 1, ignore);
  EXPECT_EQ(part.state, DumpState::kFailed);
  EXPECT_EQ(part.error, EINVAL);
  EXPECT_EQ(parse_dump(netlink(NLMSG_ERROR, 1, {}), 1, ignore).error, EPROTO);
  EXPECT_EQ(parse_dump(Bytes(5), 1, ignore).state, DumpState::kGarbled);
  Bytes lying = netlink(SOCK_DIAG_BY_FAMILY, 1, {});
  lying[0] = std::byte{200};
  EXPECT_EQ(parse_dump(lying, 1, ignore).state, DumpState::kGarbled);
}

}  // namespace
}  // namespace laggard::collect
