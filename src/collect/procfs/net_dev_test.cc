#include "collect/procfs/net_dev.h"

#include <gtest/gtest.h>

#include <array>

namespace laggard::collect {
namespace {

using Counts = std::array<std::uint64_t, kNetCounters>;

TEST(NetDev, ReadsReceiveAndTransmit) {
  const auto line = split_net_line("  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->name, "eth0");
  Counts v{};
  EXPECT_EQ(read_net_counters(line->counters, v), 0xffU);
  EXPECT_EQ(v, (Counts{1, 2, 3, 4, 9, 10, 11, 12}));
}

TEST(NetDev, NoBlankAfterTheColonOnOldKernels) {
  const auto line = split_net_line("  eth0:1234567890 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
  ASSERT_TRUE(line);
  Counts v{};
  EXPECT_EQ(read_net_counters(line->counters, v), 0xffU);
  EXPECT_EQ(v[0], 1234567890U);
}

TEST(NetDev, HeadersAndShortLinesAreNotInterfaces) {
  EXPECT_FALSE(split_net_line("Inter-|   Receive                |  Transmit"));
  EXPECT_FALSE(split_net_line(" face |bytes    packets errs drop fifo frame compressed multicast|bytes"));
  EXPECT_FALSE(split_net_line(""));
  EXPECT_FALSE(split_net_line(": 1 2 3"));
  Counts v{};
  EXPECT_EQ(read_net_counters(" 1 2 3 4 5 6 7 8 9 10 11", v), 0U);
}

TEST(NetDev, AnUnreadableNumberSpoilsOnlyItself) {
  Counts v{};
  EXPECT_EQ(read_net_counters(" 1 x 3 4 5 6 7 8 9 10 11 12 13 14 15 16", v), 0xffU & ~2U);
}

}  // namespace
}  // namespace laggard::collect
