#include "lab/bench/throughput.h"

#include <gtest/gtest.h>

namespace laggard::lab::bench {
namespace {

using namespace std::chrono_literals;

MonoTime at(Duration t) { return MonoTime{t}; }

TEST(Throughput, IsTheMedianAndTheMeanOfItsBins) {
  Throughput throughput;
  EXPECT_FALSE(throughput.pace());
  EXPECT_TRUE(throughput.due(at(0s)));
  std::uint64_t bytes = 0;
  throughput.add(at(0s), bytes);
  EXPECT_FALSE(throughput.due(at(4s)));
  EXPECT_FALSE(throughput.pace());
  const std::uint64_t megabytes[] = {100, 10, 100, 90};  // The second bin is a stall.
  Duration t = 0s;
  for (const std::uint64_t moved : megabytes) {
    t += 5s;
    EXPECT_TRUE(throughput.due(at(t)));
    throughput.add(at(t), bytes += moved * 1'000'000);
  }
  const auto pace = throughput.pace();
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->bins, 4U);
  EXPECT_DOUBLE_EQ(pace->median_mb_per_second, 19);
  EXPECT_DOUBLE_EQ(pace->mean_mb_per_second, 15);
  throughput.settle(at(10s));
  EXPECT_EQ(throughput.pace()->bins, 2U);
}

TEST(Throughput, ACounterThatBeganAnewIsNoBin) {
  Throughput throughput;
  throughput.add(at(0s), 50'000'000);
  throughput.add(at(5s), 10);
  EXPECT_FALSE(throughput.pace());
}

TEST(Throughput, WhatWasLostNeedsABeforeAndADuring) {
  Paces paces;
  EXPECT_FALSE(lost(paces, &Pace::median_mb_per_second));
  paces.before = Pace{20, 10, 5};
  paces.during = Pace{5, 11, 5};
  EXPECT_DOUBLE_EQ(*lost(paces, &Pace::median_mb_per_second), 0.75);
  EXPECT_NEAR(*lost(paces, &Pace::mean_mb_per_second), -0.1, 1e-12);
  paces.before = Pace{};
  EXPECT_FALSE(lost(paces, &Pace::median_mb_per_second));
}

TEST(PortBytes, AreThoseOfOneKindOfHost) {
  const std::string_view dev =
      "  lo: 7 0 0 0 0 0 0 0 7 0\np-c1: 10 1 0 0 0 0 0 0 5 0\n p-c2: 100 1 0 0 0 0 0 0 50 0\np-s1: 9 0 0 0 0 "
      "0 0 "
      "0 9 0\n";
  EXPECT_EQ(port_bytes(dev, "p-c"), 165U);
  EXPECT_EQ(port_bytes(dev, "p-s"), 18U);
}

}  // namespace
}  // namespace laggard::lab::bench
