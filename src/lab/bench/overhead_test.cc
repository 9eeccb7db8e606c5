#include "lab/bench/overhead.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/bench/machine.h"

namespace laggard::lab::bench {
namespace {

TEST(Increase, RatioOfSumsAndItsError) {
  // Off 110, 105, 90 and on 100 each; the order within a pair does not matter.
  const std::vector<Block> blocks{{false, 110}, {true, 100}, {true, 100},
                                  {false, 105}, {false, 90}, {true, 100}};
  const Increase more = increase(blocks);
  EXPECT_EQ(more.pairs, 3U);
  EXPECT_NEAR(more.percent, 100 * (305.0 / 300 - 1), 1e-9);
  // With equal denominators a ratio's error is that of the mean of the single ratios: 10, 5 and -10 %.
  const double mean = 5.0 / 3;
  const double squares = std::pow(10 - mean, 2) + std::pow(5 - mean, 2) + std::pow(-10 - mean, 2);
  EXPECT_NEAR(more.standard_error, std::sqrt(squares / 2 / 3), 1e-9);
}

TEST(Increase, AStalledBlockWeighsWhatItLost) {
  // Once each way: half of the work undone in one recorded block and in one without.
  const std::vector<Block> blocks{{false, 100}, {true, 50}, {true, 100}, {false, 50}};
  EXPECT_NEAR(increase(blocks).percent, 0, 1e-9);
  // Residuals 50 and -50: 100 sqrt(5000 / (2 x 1)) / 75.
  EXPECT_NEAR(increase(blocks).standard_error, 100 * 50 / 75.0, 1e-9);
}

TEST(Increase, PairsWithStolenProcessorsDoNotCount) {
  const std::vector<Block> blocks{{false, 110}, {true, 100},      {true, 1, 0.5},
                                  {false, 100}, {false, 90, 0.1}, {true, 100, 0.1}};
  const Increase more = increase(blocks);
  EXPECT_EQ(more.pairs, 2U);
  EXPECT_NEAR(more.percent, 0, 1e-9);
}

TEST(Increase, WithoutComparisonsThereIsNoFigure) {
  EXPECT_EQ(increase({}).percent, 0);
  const std::vector<Block> stalled{{false, 110}, {true, 0}};
  EXPECT_EQ(increase(stalled).percent, 0);
  EXPECT_EQ(increase(stalled).pairs, 0U);
  const std::vector<Block> one{{false, 110}, {true, 100}};
  EXPECT_NEAR(increase(one).percent, 10, 1e-9);
  EXPECT_EQ(increase(one).standard_error, 0);
}

/// Blocks whose n-th answer is `answers[n]`, and the order in which they were asked for.
struct Script {
  Result<Block> operator()(bool recorded) {
    asked += recorded ? '+' : '-';
    const double stolen = asked.size() <= answers.size() ? answers[asked.size() - 1] : 0;
    if (stolen < 0) return fail(ErrorCode::kUnavailable, "overhead", "was interrupted");
    return Block{recorded, 100, stolen};
  }
  std::vector<double> answers;  ///< What was stolen; below none: an error.
  std::string asked;
};

TEST(TakePairs, TakesTurnsSoThatADriftHitsBothAlike) {
  Script script;
  const Pairs pairs = take_pairs(3, std::ref(script));
  EXPECT_EQ(script.asked, "-++--+");
  EXPECT_EQ(increase(pairs.blocks).pairs, 3U);
  EXPECT_FALSE(pairs.ended_by);
}

TEST(TakePairs, RepeatsSpoiltOnesAndGivesUp) {
  Script once{{0.5}, {}};
  EXPECT_EQ(take_pairs(2, std::ref(once)).blocks.size(), 6U);
  Script always{std::vector<double>(100, 0.5), {}};
  const Pairs spoilt = take_pairs(2, std::ref(always));
  EXPECT_EQ(spoilt.blocks.size(), 8U);
  EXPECT_EQ(increase(spoilt.blocks).pairs, 0U);
}

TEST(TakePairs, AnInterruptionLosesNoWholePair) {
  for (const auto& [before, blocks] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {4, 4}, {5, 4}}) {
    Script script{std::vector<double>(before), {}};
    script.answers.push_back(-1);
    const Pairs pairs = take_pairs(10, std::ref(script));
    EXPECT_EQ(pairs.blocks.size(), blocks);
    ASSERT_TRUE(pairs.ended_by);
    EXPECT_EQ(pairs.ended_by->what, "was interrupted");
  }
}

TEST(PortBytes, SumsTheServersPortsBothWays) {
  constexpr const char* kNetDev =
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n"
      "  p-s1:     100       2    0    0    0     0          0         0       30       1    0    0\n"
      " p-s10: 1000 2 0 0 0 0 0 0 4000 1 0 0 0 0 0 0\n"
      "  p-c1: 7777 2 0 0 0 0 0 0 7777 1 0 0 0 0 0 0\n"
      "   br0: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n";
  EXPECT_EQ(port_bytes(kNetDev, "p-s"), 5130U);
  EXPECT_EQ(port_bytes("", "p-s"), 0U);
}

TEST(CpuTimes, WaitingForDisksIsIdle) {
  const auto from = parse_cpu_times("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
  const auto to = parse_cpu_times("cpu  130 0 60 830 80 0 0 0 0 0\n");
  const auto robbed = parse_cpu_times("cpu  130 0 60 830 80 0 0 25 0 0\n");
  ASSERT_TRUE(from && to && robbed);
  EXPECT_NEAR(busy_share(*from, *to).value(), 0.4, 1e-9);
  EXPECT_EQ(stolen_share(*from, *to).value(), 0);
  EXPECT_NEAR(stolen_share(*from, *robbed).value(), 0.2, 1e-9);
  EXPECT_FALSE(stolen_share(*robbed, *from));
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
  const Overhead overhead{Workload::kDdRead, {{{false, 110}, {true, 100, 0.05}}, {}}, 1.5};
  EXPECT_EQ(to_json(overhead),
            "{\n \"workload\": \"ddr\",\n \"recorded\": \"metrics\",\n \"increase_percent\": 10.000,\n "
            "\"standard_error\": 0.000,\n"
            " \"pairs\": 1,\n"
            " \"recorder_ms_per_second\": 1.500,\n \"blocks\": [\n  {\"recorded\": false, "
            "\"bytes_per_second\": 110, \"stolen\": 0.000},\n"
            "  {\"recorded\": true, \"bytes_per_second\": 100, \"stolen\": 0.050}\n ]\n}\n");
}

}  // namespace
}  // namespace laggard::lab::bench
