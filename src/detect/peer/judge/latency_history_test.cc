#include "detect/peer/judge/latency_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsNan;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMembers = 4;
using Row = std::array<double, kMembers>;

WallTime at(Duration t) { return from_unix_ns(0) + t; }

/// Of column 1, weighed by column 0.
void push(LatencyHistory& history, Duration t, const Row& weights, const Row& waits) {
  const std::array<std::span<const double>, 2> columns{weights, waits};
  history.push(at(t), columns);
}

TEST(LatencyHistory, MeansAreOfThoseWhoWaitedWeighedByTheOtherColumn) {
  LatencyHistory history(1, 0, 10);
  push(history, 0s, {1, 1, 0, 1}, {10, 8, 5, kNone});
  push(history, 15s, {3, 1, 2, 1}, {2, 0, 7, kNone});
  push(history, 30s, {9, 9, 9, 9}, {99, 99, 99, 99});
  EXPECT_THAT(history.means(at(0s), at(30s), kMembers, 1),
              ElementsAre(DoubleEq(4), DoubleEq(8), DoubleEq(7), IsNan()));
  EXPECT_THAT(history.means(at(0s), at(30s), kMembers, 2),
              ElementsAre(DoubleEq(4), IsNan(), IsNan(), IsNan()));
}

TEST(LatencyHistory, WithoutAnotherColumnAllCountAlike) {
  LatencyHistory history(1, std::nullopt, 10);
  push(history, 0s, {1, 1, 1, 1}, {10, 1, 1, 1});
  push(history, 15s, {3, 1, 1, 1}, {2, 1, 1, 1});
  EXPECT_DOUBLE_EQ(history.means(at(0s), at(30s), kMembers, 1)[0], 6);
}

TEST(LatencyHistory, KeepsSoManyCells) {
  LatencyHistory history(1, std::nullopt, 2);
  for (int i = 0; i < 5; ++i) push(history, i * 15s, {1, 1, 1, 1}, {1.0 + i, 1, 1, 0});
  EXPECT_EQ(history.held(), 2U * 3U);
  EXPECT_DOUBLE_EQ(history.means(at(0s), at(90s), kMembers, 1)[0], 4.5);
}

TEST(LatencyHistory, AMinuteIsSlowBesideTheMedianOfThreeAndMore) {
  LatencyHistory history(1, std::nullopt, 100);
  for (int minute = 0; minute < 4; ++minute) {
    for (const Duration within : {0s, 30s}) {
      const double own = minute < 3 ? 20 : 10;
      // In the last minute but one two alone wait, of whom nobody can tell which one is slow.
      const double others = minute == 2 ? kNone : 10;
      push(history, minute * 60s + within, {1, 1, 1, 1}, {own, 10, others, others});
    }
  }
  EXPECT_THAT(history.slow_minutes(at(0s), at(240s), kMembers, 60s, std::log(1.5)),
              ElementsAre(DoubleEq(2.0 / 3), DoubleEq(0), DoubleEq(0), DoubleEq(0)));
}

}  // namespace
}  // namespace laggard::detect
