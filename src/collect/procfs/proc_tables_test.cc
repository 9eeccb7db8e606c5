#include "collect/procfs/proc_tables.h"

#include <gtest/gtest.h>

#include <array>

#include "base/text.h"

namespace laggard::collect {
namespace {
using Values = std::array<std::uint64_t, kDiskCounters>;

std::uint32_t read(std::string_view line, Values& values) {
  const std::optional<DiskLine> parts = split_disk_line(line);
  return parts ? read_disk_counters(parts->counters, values) : 0;
}

TEST(Diskstats, EveryWidthThatKernelsHad) {
  Values v{};
  EXPECT_EQ(read("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11", v), (1U << 11) - 1);
  EXPECT_EQ(v[10], 11U);
  EXPECT_EQ(read("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", v), (1U << 15) - 1);
  EXPECT_EQ(v[14], 15U);
  EXPECT_EQ(read(" 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", v), (1U << 17) - 1);
  EXPECT_EQ(v[16], 17U);
  EXPECT_EQ(read(" 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", v), (1U << 17) - 1)
      << "counters of kernels to come are not read";
}

TEST(Diskstats, NamesAreTakenAsTheyAre) {
  EXPECT_EQ(split_disk_line(" 104 0 cciss/c0d0 1")->name, "cciss/c0d0");
  EXPECT_EQ(split_disk_line("8 0 sda")->name, "sda");
}

TEST(Diskstats, LinesOfOtherFormsAreRefused) {
  Values v{};
  EXPECT_FALSE(split_disk_line(""));
  EXPECT_FALSE(split_disk_line("8 0"));
  EXPECT_FALSE(split_disk_line("major minor name"));
  EXPECT_EQ(read("   8       1 sda1 10 20 30 40", v), 0U) << "partitions before Linux 2.6.25";
}

TEST(Diskstats, AnUnreadableNumberSpoilsOnlyItself) {
  Values v{};
  const std::uint32_t mask = read("8 0 sda 1 2 3 4 5 6 7 8 -1 10 11", v);
  EXPECT_EQ(mask, ((1U << 11) - 1) & ~(1U << 8));
  EXPECT_EQ(v[9], 10U);
  EXPECT_EQ(read("8 0 sda 1 2 99999999999999999999999 4 5 6 7 8 9 10 11", v), ((1U << 11) - 1) & ~(1U << 2));
}

TEST(Diskstats, WholeRangeOfCounters) {
  Values v{};
  EXPECT_NE(read("8 0 sda 18446744073709551615 2 3 4 5 6 7 8 9 10 4294967295", v), 0U);
  EXPECT_EQ(v[0], ~std::uint64_t{0});
  EXPECT_EQ(v[10], 4294967295U);
}

TEST(Scan, LinesWithAndWithoutTheLastNewline) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_TRUE(text.empty());
}

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
