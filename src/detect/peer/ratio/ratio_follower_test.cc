#include "detect/peer/ratio/ratio_follower.h"

#include <gtest/gtest.h>

#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using std::chrono::seconds;

class RatioFollowerTest : public testing::Test {
 protected:
  RatioFollowerTest() : grouping_(testing_support::GroupingBuilder().servers(9, 1, false).get()) {}

  RatioFollower follower() { return {grouping_, interventions_, {.pause = 160}}; }

  /// A slow window that ends there.
  static SlowMember slow(std::int64_t cell, std::size_t member = 3, double latency = 120) {
    return {.group = 0,
            .member = member,
            .cell = cell,
            .metric = find_metric("await"),
            .latency = latency,
            .peers = 10,
            .ratio = 8,
            .moved = 300,
            .moved_by_peers = 100,
            .moved_scatter = 7};
  }
  static bool add(RatioFollower& follower, const SlowMember& one) { return follower.add(one, one.cell - 7); }

  Grouping grouping_;
  Interventions interventions_;
};

TEST_F(RatioFollowerTest, ThreeOfFiveWindows) {
  RatioFollower follower = this->follower();
  EXPECT_FALSE(add(follower, slow(1000)));
  EXPECT_FALSE(add(follower, slow(1020))) << "too long ago";
  EXPECT_FALSE(add(follower, slow(1028)));
  EXPECT_TRUE(follower.findings(1028).empty());
  EXPECT_TRUE(add(follower, slow(1036, 3, 160)));
  const std::vector<Finding> findings = follower.findings(1036);
  ASSERT_EQ(findings.size(), 1U);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.component, 3U);
  EXPECT_EQ(finding.since, WallTime{seconds(1012)});
  EXPECT_EQ(finding.faulty_since, WallTime{seconds(1036)});
  EXPECT_EQ(finding.opened.at, WallTime{seconds(1036)});
  EXPECT_EQ(finding.until, WallTime{seconds(1036)});
  EXPECT_EQ(finding.first, 1013);
  EXPECT_EQ(finding.last, 1029);
  EXPECT_TRUE(finding.open);
  EXPECT_FALSE(finding.confirmed());
  EXPECT_EQ(finding.persistence, 0);
  EXPECT_TRUE(finding.growth.empty()) << "many of them confirm nobody";
  EXPECT_EQ(finding.strength, 1.5) << "the third largest score";
  EXPECT_EQ(finding.evidence.detector, "ratio");
  EXPECT_EQ(finding.evidence.source, "metrics");
  EXPECT_EQ(finding.evidence.distance, 16);
  EXPECT_EQ(finding.evidence.threshold, 8);
  EXPECT_EQ(finding.evidence.score, 2);
  EXPECT_NEAR(*finding.evidence.level, 400.0 / 3, 1e-9);
  EXPECT_EQ(finding.evidence.windows.size(), 3U);
  ASSERT_NE(finding.fact(kStorageMoved), nullptr);
  EXPECT_EQ(finding.fact(kStorageMoved)->own, 300);
  EXPECT_EQ(finding.fact(kStorageMoved)->scatter, 7);
}

TEST_F(RatioFollowerTest, ServiceTimesAreOfTheWitnessOfSystemCalls) {
  RatioFollower follower = this->follower();
  SlowMember one = slow(1000);
  one.metric = find_metric("dread");
  for (int window = 0; window < 3; ++window, one.cell += 8) static_cast<void>(add(follower, one));
  const std::vector<Finding> findings = follower.findings(1016);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].evidence.source, "syscalls");
}

TEST_F(RatioFollowerTest, APauseIsBridgedAndALongOneIsNot) {
  RatioFollower follower = this->follower();
  for (std::int64_t cell = 1000; cell <= 1020; cell += 4) add(follower, slow(cell));
  EXPECT_TRUE(follower.findings(1036)[0].open);
  EXPECT_FALSE(follower.findings(1040)[0].open);
  EXPECT_FALSE(add(follower, slow(1100)));
  EXPECT_FALSE(add(follower, slow(1104)));
  EXPECT_TRUE(add(follower, slow(1108))) << "goes on, which is news";
  ASSERT_EQ(follower.size(), 1U);
  EXPECT_EQ(follower.findings(1108)[0].evidence.windows.size(), 9U);
  for (std::int64_t cell = 1400; cell <= 1420; cell += 4) add(follower, slow(cell));
  EXPECT_EQ(follower.size(), 2U);
}

TEST_F(RatioFollowerTest, MembersAreFollowedApart) {
  RatioFollower follower = this->follower();
  for (std::int64_t cell = 1000; cell <= 1008; cell += 4) {
    add(follower, slow(cell, 3));
    add(follower, slow(cell, 5, 4000));
  }
  ASSERT_EQ(follower.size(), 2U);
  EXPECT_EQ(follower.findings(1008)[1].strength, 2) << "it outweighs nobody";
  EXPECT_NEAR(follower.findings(1008)[1].severity, 5.64, 0.01);
}

TEST_F(RatioFollowerTest, ForgetsWhatIsOver) {
  RatioFollower follower = this->follower();
  for (std::int64_t cell = 1000; cell <= 1008; cell += 4) {
    add(follower, slow(cell, 3));
    add(follower, slow(cell, 5));
  }
  follower.forget(std::vector<std::uint8_t>{0, 1});
  ASSERT_EQ(follower.size(), 1U);
  EXPECT_EQ(follower.findings(1008)[0].component, 5U);
  EXPECT_FALSE(add(follower, slow(1012, 5)));
  EXPECT_EQ(follower.findings(1012)[0].evidence.windows.size(), 4U);
}

TEST_F(RatioFollowerTest, WhatWasRepairedBeginsAnew) {
  const Decision repaired{.kind = DecisionKind::kRepaired,
                          .subject = "s4/d1",
                          .from = WallTime{seconds(1010)},
                          .made = WallTime{seconds(1010)},
                          .by = "",
                          .why = ""};
  interventions_ = Interventions(grouping_, std::span(&repaired, 1));
  RatioFollower follower = this->follower();
  for (std::int64_t cell = 1000; cell <= 1008; cell += 4) add(follower, slow(cell));
  EXPECT_FALSE(follower.findings(1008)[0].open);
  EXPECT_FALSE(add(follower, slow(1020)));
  EXPECT_FALSE(add(follower, slow(1024)));
  EXPECT_TRUE(add(follower, slow(1028)));
  EXPECT_EQ(follower.size(), 2U);
}

}  // namespace
}  // namespace laggard::detect
