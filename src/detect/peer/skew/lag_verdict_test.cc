#include "detect/peer/skew/lag_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace laggard::detect {
namespace {

constexpr std::int64_t kReach = 20;

/// What `hosts` did: with load(cell) the load of all, and noise of their own.
class Hosts {
 public:
  using Load = std::function<double(std::int64_t)>;
  /// By how much host 0's clock is ahead at a cell of its own clock.
  using Ahead = std::function<std::int64_t(std::int64_t)>;

  static LagCorrelation make(std::int64_t cells, const Load& load, const Ahead& ahead, double own = 0.3,
                             std::uint64_t seed = 1) {
    constexpr std::size_t kHosts = 6;
    LagCorrelation correlation({.hosts = kHosts, .channels = 1, .reach = kReach, .most_blocks = 64});
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise;
    std::vector<std::int8_t> moves(kHosts);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      for (std::size_t h = 0; h < kHosts; ++h) {
        const std::int64_t true_cell = cell - (h == 0 ? ahead(cell) : 0);
        const double x = load(true_cell) - load(true_cell - 1) + own * noise(random);
        moves[h] = static_cast<std::int8_t>(x > 0.2 ? 1 : (x < -0.2 ? -1 : 0));
      }
      correlation.push(cell, moves, nullptr);
    }
    correlation.finish(nullptr);
    return correlation;
  }
};

std::int64_t right(std::int64_t /*cell*/) { return 0; }

/// White: a number of its own for every cell.
double lively(std::int64_t cell) {
  std::mt19937_64 random(static_cast<std::uint64_t>(cell + 100'000) * 7919);
  return std::normal_distribution<double>(0, 1)(random);
}

std::vector<LagStretch> verdict(const LagCorrelation& correlation, std::size_t host = 0) {
  return judge_lags(correlation.blocks(host), {});
}

TEST(LagVerdict, FindsTheLagOfTheOneWhoIsOffAndOfNobodyElse) {
  for (const std::int64_t ahead : {-15, -7, -3, -2, 2, 3, 7, 15}) {
    const LagCorrelation hosts = Hosts::make(400, lively, [&](std::int64_t) { return ahead; });
    const auto found = verdict(hosts);
    ASSERT_EQ(found.size(), 1U) << ahead;
    EXPECT_EQ(found[0].lag, ahead);
    EXPECT_EQ(found[0].low, ahead);
    EXPECT_EQ(found[0].high, ahead);
    EXPECT_TRUE(found[0].is_off({}));
    EXPECT_GT(found[0].correlation, 0.5);
    EXPECT_LT(std::abs(found[0].unmoved), 0.2);
    EXPECT_GT(found[0].sigmas, 4);
    for (std::size_t other = 1; other < 6; ++other) {
      const auto well = verdict(hosts, other);
      ASSERT_EQ(well.size(), 1U);
      EXPECT_TRUE(well[0].is_right({})) << well[0].lag;
    }
  }
}

TEST(LagVerdict, OfASteadyLoadNothingIsSaid) {
  EXPECT_TRUE(verdict(Hosts::make(
                          2000, [](std::int64_t) { return 5.0; }, right, 0))
                  .empty());
  EXPECT_TRUE(verdict(Hosts::make(
                          2000, [](std::int64_t) { return 5.0; }, right))
                  .empty());
}

TEST(LagVerdict, OfAPeriodicLoadNothingIsSaid) {
  const auto waves = [](std::int64_t cell) { return (cell / 4) % 2 == 0 ? 2.0 : 0.0; };
  EXPECT_TRUE(verdict(Hosts::make(2000, waves, right)).empty());
  EXPECT_TRUE(verdict(Hosts::make(2000, waves, right, 0)).empty()) << "exact ties";
}

TEST(LagVerdict, APeriodBeyondTheReachIsNoRiddle) {
  const auto waves = [](std::int64_t cell) { return lively(((cell % 97) + 97) % 97); };
  const auto found = verdict(Hosts::make(2000, waves, [](std::int64_t) { return 5; }));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lag, 5);
}

TEST(LagVerdict, OfAFewSamplesNothingIsSaid) {
  EXPECT_TRUE(verdict(Hosts::make(12, lively, right)).empty());
  EXPECT_TRUE(verdict(Hosts::make(0, lively, right)).empty());
}

TEST(LagVerdict, AShiftAtTheEndOfTheReachMayBeBeyondIt) {
  EXPECT_TRUE(verdict(Hosts::make(2000, lively, [](std::int64_t) { return kReach; })).empty());
  EXPECT_TRUE(verdict(Hosts::make(2000, lively, [](std::int64_t) { return kReach + 10; })).empty());
}

TEST(LagVerdict, AClockThatIsSetRightGivesTwoStretches) {
  const auto found =
      verdict(Hosts::make(1280, lively, [](std::int64_t cell) { return cell < 640 ? -9 : 0; }));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].lag, -9);
  EXPECT_EQ(found[1].lag, 0);
  EXPECT_EQ(found[0].end, found[1].begin);
  EXPECT_NEAR(static_cast<double>(found[0].end), 20, 1) << "blocks are 32 cells";
}

TEST(LagVerdict, AndTwoStepsThree) {
  const auto found = verdict(
      Hosts::make(3000, lively, [](std::int64_t cell) { return cell < 1000 ? 0 : (cell < 2000 ? 12 : -4); }));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].lag, 0);
  EXPECT_EQ(found[1].lag, 12);
  EXPECT_EQ(found[2].lag, -4);
}

/// Loads that have nothing in common, loads that hardly have, and slow ones: nobody's clock may be called
/// off. 3,000 hosts.
TEST(LagVerdict, ChanceIsNotTakenForAClock) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const double own = seed % 3 == 0 ? 1e3 : (seed % 3 == 1 ? 4 : 2);
    const auto load = [&](std::int64_t cell) {
      return seed % 2 == 0 ? lively(cell + static_cast<std::int64_t>(seed) * 1000)
                           : 3 * std::sin(static_cast<double>(cell) / 9 + static_cast<double>(seed));
    };
    const std::int64_t cells = 40 + static_cast<std::int64_t>(seed % 7) * 60;
    const LagCorrelation hosts = Hosts::make(cells, load, right, own, seed);
    for (std::size_t h = 0; h < 6; ++h) {
      for (const LagStretch& stretch : verdict(hosts, h)) EXPECT_FALSE(stretch.is_off({})) << stretch.lag;
    }
  }
}

TEST(NormalDeviate, IsCloseToStudentsTail) {
  // One-sided tails of t: 0.05 at 1.8125 (10), 0.005 at 3.4995 (7), 0.0005 at 3.6460 (30), and of the normal.
  EXPECT_NEAR(normal_deviate(1.8125, 10), 1.6449, 0.01);
  EXPECT_NEAR(normal_deviate(3.4995, 7), 2.5758, 0.01);
  EXPECT_NEAR(normal_deviate(3.6460, 30), 3.2905, 0.01);
  EXPECT_EQ(normal_deviate(0, 9), 0);
  EXPECT_EQ(normal_deviate(-3, 9), -normal_deviate(3, 9));
}

}  // namespace
}  // namespace laggard::detect
