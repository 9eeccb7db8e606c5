#include "stats/failed_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace laggard::stats {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// Packets over pairs of links of a layer of switches: a way up (0 to 19) and a way down (20 to 39).
struct Network {
  static constexpr std::size_t kLinks = 40;
  std::vector<std::vector<std::size_t>> paths;
  std::vector<double> trials;
  std::vector<double> failures;

  /// \param loss  by link, on top of what all paths lose.
  Network(const std::vector<double>& loss, double noise, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t up = 0; up < kLinks / 2; ++up) {
      for (std::size_t down = kLinks / 2; down < kLinks; ++down) {
        paths.push_back({up, down});
        const double served = (1 - noise) * (1 - loss[up]) * (1 - loss[down]);
        trials.push_back(5000);
        failures.push_back(std::binomial_distribution<int>(5000, 1 - served)(random));
      }
    }
  }
  [[nodiscard]] std::vector<FailedUnit> failed() const {
    return failed_units(paths, kLinks, trials, failures);
  }
};

std::vector<std::size_t> units_of(const std::vector<FailedUnit>& failed) {
  std::vector<std::size_t> units;
  for (const FailedUnit& one : failed) units.push_back(one.unit);
  return units;
}

TEST(FailedUnits, NoiseIsNobodys) {
  int named = 0;
  constexpr int kTimes = 300;
  for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
    named += Network(std::vector<double>(Network::kLinks), 3e-4, seed).failed().empty() ? 0 : 1;
  }
  EXPECT_LE(named, 9) << "three of 300 are expected; more than nine once in a thousand";
}

TEST(FailedUnits, OneOrManyAreFoundWithWhatTheyLose) {
  std::vector<double> loss(Network::kLinks);
  loss[3] = 0.01;
  const auto one = Network(loss, 3e-4, 1).failed();
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].unit, 3U);
  EXPECT_NEAR(one[0].loss, 0.01, 0.002);
  for (const std::size_t link : {7U, 19U, 20U, 21U, 22U, 35U}) loss[link] = 0.004;
  EXPECT_THAT(units_of(Network(loss, 3e-4, 2).failed()), UnorderedElementsAre(3, 7, 19, 20, 21, 22, 35));
}

TEST(FailedUnits, WithoutTrialsOrFailuresNothingHasFailed) {
  EXPECT_THAT(failed_units({}, 0, {}, {}), IsEmpty());
  const std::vector<std::vector<std::size_t>> paths{{0}, {1}};
  const std::vector<double> none(2);
  EXPECT_THAT(failed_units(paths, 2, none, none), IsEmpty());
  const std::vector<double> some{100, 100};
  EXPECT_THAT(failed_units(paths, 2, some, none), IsEmpty());
}

TEST(FailedUnits, WhatLosesEverythingHasFailed) {
  const std::vector<std::vector<std::size_t>> paths{{0}, {1}, {2}};
  const std::vector<double> trials{100, 100, 100};
  const std::vector<double> failures{0, 100, 0};
  const auto failed = failed_units(paths, 3, trials, failures);
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].unit, 1U);
  EXPECT_GT(failed[0].loss, 0.95);
}

TEST(FailedUnits, TheMoreAreTriedTheMoreIsNeeded) {
  for (const std::size_t units : {1U, 10U, 1000U}) {
    const double nats = needed_nats(units, 0.01);
    EXPECT_NEAR(static_cast<double>(units) * std::erfc(std::sqrt(nats)) / 2, 0.01, 1e-6);
  }
  EXPECT_LT(needed_nats(10, 0.01), needed_nats(1000, 0.01));
}

}  // namespace
}  // namespace laggard::stats
