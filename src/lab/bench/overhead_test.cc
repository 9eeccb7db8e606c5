#include "lab/bench/overhead.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/bench/cpu_share.h"

namespace laggard::lab::bench {
namespace {

TEST(Increase, MeanAndStandardErrorOfPairs) {
  // Off / on: 110/100 and 105/100 and 90/100: +10 %, +5 %, -10 %; the order within a pair does not matter.
  const std::vector<Block> blocks{{false, 110}, {true, 100}, {true, 100},
                                  {false, 105}, {false, 90}, {true, 100}};
  const Increase more = increase(blocks);
  EXPECT_NEAR(more.percent, 5.0 / 3, 1e-9);
  const double mean = 5.0 / 3;
  const double squares = std::pow(10 - mean, 2) + std::pow(5 - mean, 2) + std::pow(-10 - mean, 2);
  EXPECT_NEAR(more.standard_error, std::sqrt(squares / 2 / 3), 1e-9);
}

TEST(Increase, WithoutComparisonsThereIsNoFigure) {
  EXPECT_EQ(increase({}).percent, 0);
  const std::vector<Block> stalled{{false, 110}, {true, 0}};
  EXPECT_EQ(increase(stalled).percent, 0);
  const std::vector<Block> one{{false, 110}, {true, 100}};
  EXPECT_NEAR(increase(one).percent, 10, 1e-9);
  EXPECT_EQ(increase(one).standard_error, 0);
}

TEST(PortBytes, SumsTheServersPortsBothWays) {
  constexpr const char* kNetDev =
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n"
      "  p-s1:     100       2    0    0    0     0          0         0       30       1    0    0\n"
      " p-s10: 1000 2 0 0 0 0 0 0 4000 1 0 0 0 0 0 0\n"
      "  p-c1: 7777 2 0 0 0 0 0 0 7777 1 0 0 0 0 0 0\n"
      "   br0: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n";
  EXPECT_EQ(port_bytes(kNetDev), 5130U);
  EXPECT_EQ(port_bytes(""), 0U);
}

TEST(CpuTimes, WaitingForDisksIsIdle) {
  const auto from = parse_cpu_times("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
  const auto to = parse_cpu_times("cpu  130 0 60 830 80 0 0 0 0 0\n");
  ASSERT_TRUE(from && to);
  EXPECT_NEAR(busy_share(*from, *to).value(), 0.4, 1e-9);
  EXPECT_FALSE(busy_share(*to, *from));
  EXPECT_FALSE(parse_cpu_times("cpu 1 2 x"));
  EXPECT_FALSE(parse_cpu_times("intr 1 2 3 4 5 6 7 8"));
}

TEST(ProcessTicks, AreBehindAnyName) {
  EXPECT_EQ(parse_process_ticks("42 (a) b) R 1 42 42 0 -1 4194304 100 0 0 0 11 7 2 1 20 0"), 21U);
  EXPECT_FALSE(parse_process_ticks("42 a R 1"));
  EXPECT_FALSE(parse_process_ticks("42 (a) R 1"));
}

TEST(OverheadJson, HoldsTheBlocks) {
  const Overhead overhead{Workload::kDdRead, {{false, 110}, {true, 100}}, 1.5};
  EXPECT_EQ(to_json(overhead),
            "{\n \"workload\": \"ddr\",\n \"increase_percent\": 10.000,\n \"standard_error\": 0.000,\n"
            " \"recorder_ms_per_second\": 1.500,\n \"blocks\": [\n  {\"recorded\": false, "
            "\"bytes_per_second\": 110},\n"
            "  {\"recorded\": true, \"bytes_per_second\": 100}\n ]\n}\n");
}

}  // namespace
}  // namespace laggard::lab::bench
