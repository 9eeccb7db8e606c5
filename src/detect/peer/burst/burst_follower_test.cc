#include "detect/peer/burst/burst_follower.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "testing/grouping.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {

class BurstFollowerTest : public testing::Test {
 protected:
  BurstFollowerTest() {
    testing_support::GroupingBuilder builder;
    for (std::size_t s = 1; s <= 9; ++s) builder.disk("s" + std::to_string(s), "d1");
    grouping_ = builder.get();
  }

  [[nodiscard]] BurstFollower follower() const { return {grouping_, interventions_, {.horizon = 600}}; }

  static SlowMember burst(std::size_t member, std::int64_t cell, double value = 2000) {
    return {.member = member, .cell = cell, .metric = find_metric("await"), .latency = value, .peers = 20};
  }
  /// Positions are cells: nothing is lost in between.
  static bool add(BurstFollower& follower, std::size_t member, std::int64_t cell) {
    return follower.add(burst(member, cell), cell);
  }

  Grouping grouping_;
  Interventions interventions_;
};

TEST_F(BurstFollowerTest, FourOfOneMemberAreSuspectedSixConfirmed) {
  BurstFollower follower = this->follower();
  for (const std::int64_t cell : {100, 115, 130}) EXPECT_FALSE(add(follower, 2, cell));
  EXPECT_TRUE(follower.findings(130).empty());
  EXPECT_TRUE(add(follower, 2, 145));
  ASSERT_EQ(follower.size(), 1U);
  Finding finding = follower.findings(145).front();
  EXPECT_EQ(finding.component, 2U);
  EXPECT_EQ(finding.since, from_unix_ns(99'000'000'000));
  EXPECT_EQ(finding.faulty_since, from_unix_ns(145'000'000'000));
  EXPECT_FALSE(finding.confirmed());
  EXPECT_TRUE(finding.open);
  EXPECT_EQ(finding.fact(kBursts)->own, 4);
  EXPECT_EQ(finding.evidence.level, 2000);
  EXPECT_FALSE(add(follower, 2, 160));
  EXPECT_TRUE(add(follower, 2, 175)) << "confirmed by this one";
  finding = follower.findings(175).front();
  EXPECT_EQ(finding.confirmed_since, from_unix_ns(175'000'000'000));
  EXPECT_EQ(follower.size(), 1U);
  EXPECT_TRUE(follower.findings(175 + 45).front().open);
  EXPECT_FALSE(follower.findings(175 + 46).front().open) << "three times its longest pause";
}

TEST_F(BurstFollowerTest, BurstsOfAllSayNothing) {
  BurstFollower follower = this->follower();
  for (std::int64_t cell = 0; cell < 2000; cell += 10)
    add(follower, static_cast<std::size_t>(cell / 10) % 9, cell);
  EXPECT_EQ(follower.size(), 0U);
}

TEST_F(BurstFollowerTest, NoiseThatFallsByChanceAccusesHardlyAnybody) {
  std::mt19937_64 random(3);
  int accused = 0;
  for (int round = 0; round < 300; ++round) {
    BurstFollower follower = this->follower();
    for (std::int64_t cell = 0; cell < 600; cell += 30) add(follower, random() % 9, cell);
    accused += follower.size() > 0 ? 1 : 0;
  }
  EXPECT_LE(accused, 6) << "of 300, each looked at up to 20 times at 0.002";
}

TEST_F(BurstFollowerTest, CellsNextToEachOtherAreOneBurst) {
  BurstFollower follower = this->follower();
  for (std::int64_t cell = 100; cell < 120; cell += 2) add(follower, 2, cell);
  EXPECT_EQ(follower.size(), 0U);
}

TEST_F(BurstFollowerTest, WhatLiesFurtherBackThanTheHorizonIsForgotten) {
  BurstFollower follower = this->follower();
  for (std::int64_t cell = 100; cell < 4000; cell += 250) add(follower, 2, cell);
  EXPECT_EQ(follower.size(), 0U) << "never four within 600 cells";
}

TEST_F(BurstFollowerTest, AnotherTimeIsAnotherFinding) {
  BurstFollower follower = this->follower();
  for (const std::int64_t cell : {100, 115, 130, 145, 2000, 2015, 2030}) add(follower, 2, cell);
  EXPECT_EQ(follower.size(), 1U);
  EXPECT_TRUE(add(follower, 2, 2045));
  EXPECT_EQ(follower.size(), 2U);
  follower.forget(std::vector<std::uint8_t>{0, 1});
  ASSERT_EQ(follower.size(), 1U);
  EXPECT_EQ(follower.findings(2045).front().first, 2000);
}

TEST_F(BurstFollowerTest, ARepairedMemberBeginsAnew) {
  const Decision repaired{.kind = DecisionKind::kRepaired,
                          .subject = "s3/d1",
                          .from = from_unix_ns(140'000'000'000),
                          .made = from_unix_ns(140'000'000'000),
                          .by = "me",
                          .why = "a new cable"};
  interventions_ = Interventions(grouping_, std::span(&repaired, 1));
  BurstFollower follower = this->follower();
  for (const std::int64_t cell : {100, 115, 130, 145, 160, 175}) EXPECT_FALSE(add(follower, 2, cell));
  EXPECT_TRUE(add(follower, 2, 190));
}

TEST_F(BurstFollowerTest, IsRestoredAsItWas) {
  BurstFollower saved = follower();
  for (const std::int64_t cell : {100, 115, 130, 145}) add(saved, 2, cell);
  add(saved, 5, 150);
  for (const std::int64_t cell : {160, 170}) add(saved, 2, cell);
  BurstFollower fresh = follower();
  expect_restores(saved, fresh);
  EXPECT_TRUE(add(fresh, 2, 180)) << "confirmed, though another one burst";
  EXPECT_TRUE(fresh.findings(180).front().confirmed());
}

/// The definition, one outcome after the other.
TEST(ByChance, IsTheBinomialTailTimesTheMembers) {
  for (std::size_t n = 2; n < 12; ++n) {
    for (std::size_t all = 1; all < 20; ++all) {
      for (std::size_t k = 0; k <= all; ++k) {
        const double p = 1 / static_cast<double>(n);
        double ways = 1;
        double tail = 0;
        for (std::size_t i = 0; i <= all; ++i) {
          const auto x = static_cast<double>(i);
          if (i >= k) tail += ways * std::pow(p, x) * std::pow(1 - p, static_cast<double>(all - i));
          ways *= static_cast<double>(all - i) / (x + 1);
        }
        EXPECT_NEAR(by_chance(n, k, all), std::min(1.0, static_cast<double>(n) * tail), 1e-12);
      }
    }
  }
  EXPECT_EQ(by_chance(1, 3, 3), 1) << "who has no peers proves nothing";
}

}  // namespace
}  // namespace laggard::detect
