#include "detect/peer/skew/host_circles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/missing.h"
#include "testing/grouping.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::GroupingBuilder;

TEST(HostCircles, PeersAndWhoeverIsConnectedByThem) {
  GroupingBuilder builder;
  builder.servers(11, 2, true);
  const Grouping grouping = builder.get();
  const HostCircles circles = make_circles(grouping);
  ASSERT_EQ(circles.circles.size(), 1U);
  EXPECT_EQ(circles.circles[0].front(), "s1");
  EXPECT_EQ(circles.circles[0].back(), "s11") << "natural order";
  EXPECT_EQ(circles.row(), 11 * kLoadChannels);
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const GroupKind kind = grouping.groups[g].kind;
    const bool counts = kind == GroupKind::kDisks || kind == GroupKind::kInterfaces;
    EXPECT_EQ(circles.places[g].has_value(), counts) << grouping.groups[g].name;
  }
}

TEST(HostCircles, DisksOfOneHostAndPairsAreNone) {
  Grouping grouping = GroupingBuilder().servers(2, 3, false).get();
  EXPECT_THAT(make_circles(grouping).circles, IsEmpty());
  grouping = GroupingBuilder().servers(3, 1, false).get();
  grouping.groups[0].second_only = true;
  EXPECT_THAT(make_circles(grouping).circles, IsEmpty());
}

TEST(HostCircles, AttachmentsBehindBetterOnesDoNotCount) {
  GroupingBuilder builder;
  for (const char* host : {"s1", "s2", "s3"}) {
    for (const std::size_t priority : {std::size_t{0}, std::size_t{1}}) {
      builder.add(GroupKind::kDisks, std::string(host) + "." + std::to_string(priority), host, {}, priority);
    }
  }
  const HostCircles circles = make_circles(builder.get());
  ASSERT_EQ(circles.circles.size(), 1U);
  EXPECT_TRUE(circles.places[0].has_value());
  EXPECT_FALSE(circles.places[1].has_value());
}

TEST(HostLoads, AddUpWhatIsKnownOfAHost) {
  const Grouping grouping = GroupingBuilder().servers(3, 2, false).get();
  const HostCircles circles = make_circles(grouping);
  std::vector<double> loads;
  HostLoads host_loads(circles, [&](const CellRuns::Run& run, std::span<const double> rows) {
    EXPECT_EQ(run.begin, 7);
    loads.assign(rows.begin(), rows.end());
  });
  const CellRuns::Run run{7, 9};
  ASSERT_EQ(grouping.groups[0].members.size(), 6U);
  const std::vector<double> written{1, 2, 3, kMissing, kMissing, kMissing, 10, 20, 30, 40, 50, 60};
  host_loads.observe(0, *find_metric("wr_sec"), run, written);
  host_loads.observe(0, *find_metric("await"), run, written);
  host_loads.end_run(run);
  ASSERT_EQ(loads.size(), 2 * circles.row());
  const std::size_t wr = *load_channel(*find_metric("wr_sec")) * 3;
  EXPECT_EQ(loads[wr], 3);
  EXPECT_EQ(loads[wr + 1], 3) << "one disk of two";
  EXPECT_TRUE(std::isnan(loads[wr + 2])) << "missing is not zero";
  EXPECT_EQ(loads[circles.row() + wr + 2], 110);
  EXPECT_TRUE(std::isnan(loads[0])) << "reads were not observed";
  host_loads.end_run(run);
  EXPECT_TRUE(std::isnan(loads[wr])) << "every run begins with nothing";
}

}  // namespace
}  // namespace laggard::detect
