#include "detect/pings/probing_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing_support::GroupingBuilder;
using Names = std::vector<std::string>;

const HiddenPart* hidden(const ProbingPlan& plan, const std::string& name) {
  const auto found =
      std::ranges::find_if(plan.hidden, [&](const HiddenPart& h) { return h.part.name == name; });
  return found == plan.hidden.end() ? nullptr : &*found;
}

TEST(ProbingPlan, ClientsThatReachEverythingAlikeAreOneClassOfWhichTwoProbe) {
  GroupingBuilder system;
  system.servers(2, 2, false);
  std::mt19937_64 random(1);
  const Names clients{"c1", "c2", "c10"};
  const Names targets{"s1/d1", "s1/d2", "s2/d1", "s2/d2"};
  const ProbingPlan plan = plan_probes(system.get(), clients, targets, {}, random);
  ASSERT_THAT(plan.monitors, SizeIs(1));
  EXPECT_EQ(plan.classes, 1U);
  EXPECT_EQ(plan.monitors[0].clients, (Names{"c1", "c2", "c10"}));
  EXPECT_THAT(plan.monitors[0].chosen, SizeIs(2)) << "one that is sick is told from a system that is";
  EXPECT_EQ(plan.probes_per_minute({}), 6);
  EXPECT_EQ(hidden(plan, "s1"), nullptr) << "whichever of its disks fails, the other one shows the server";
  ASSERT_NE(hidden(plan, "s1/d1"), nullptr);
  EXPECT_EQ(hidden(plan, "s1/d1")->by.at(0).name, "s1") << "nothing reaches a disk but its server";
  EXPECT_FALSE(hidden(plan, "s1/d1")->always);
  std::set<std::string> chosen;
  for (int i = 0; i < 50; ++i) {
    const ProbingPlan again = plan_probes(system.get(), clients, targets, {}, random);
    chosen.insert(again.monitors[0].chosen.begin(), again.monitors[0].chosen.end());
  }
  EXPECT_THAT(chosen, SizeIs(3)) << "at random";
}

TEST(ProbingPlan, AServerWithOneTargetIsOneWithIt) {
  GroupingBuilder system;
  system.servers(2, 1, false);
  std::mt19937_64 random(1);
  const ProbingPlan plan = plan_probes(system.get(), Names{"c1"}, Names{"s1/d1", "s2/d1"}, {}, random);
  ASSERT_NE(hidden(plan, "s1"), nullptr);
  EXPECT_TRUE(hidden(plan, "s1")->always);
  EXPECT_EQ(hidden(plan, "s1")->by.at(0).name, "s1/d1");
}

TEST(ProbingPlan, ASecondNetworkIsWorthASecondMonitorAndAThirdAlikeIsNot) {
  GroupingBuilder system;
  system.servers(2, 2, false);
  for (const auto& [client, network] :
       {std::pair("login1", "storage"), std::pair("login2", "storage"), std::pair("node1", "compute")}) {
    system.under({PartKind::kClient, client}, {PartKind::kNetwork, network});
  }
  std::mt19937_64 random(1);
  const ProbingPlan plan = plan_probes(system.get(), Names{"login1", "login2", "node1"},
                                       Names{"s1/d1", "s1/d2", "s2/d1", "s2/d2"}, {}, random);
  EXPECT_EQ(plan.classes, 2U);
  ASSERT_THAT(plan.monitors, SizeIs(2));
  EXPECT_THAT(plan.monitors[0].clients, SizeIs(2)) << "the larger class first";
  EXPECT_EQ(plan.clients(), 2U);
  EXPECT_EQ(hidden(plan, "storage"), nullptr) << "the other network shows who else is well";
}

TEST(ProbingPlan, TwoAtOnceHideMore) {
  GroupingBuilder system;
  system.servers(3, 2, false);
  std::mt19937_64 random(1);
  const Names targets{"s1/d1", "s1/d2", "s2/d1", "s2/d2", "s3/d1", "s3/d2"};
  const ProbingPlan plan = plan_probes(system.get(), Names{"c1"}, targets, {.k = 2}, random);
  ASSERT_NE(hidden(plan, "s1"), nullptr);
  EXPECT_THAT(hidden(plan, "s1")->by, SizeIs(2)) << "both of its disks";
  const ProbingPlan none = plan_probes(system.get(), Names{"c1"}, targets, {.k = 0}, random);
  EXPECT_THAT(none.hidden, IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
