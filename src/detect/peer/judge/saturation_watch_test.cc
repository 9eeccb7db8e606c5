#include "detect/peer/judge/saturation_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/missing.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Saturation : public ::testing::Test {
 protected:
  explicit Saturation(std::size_t servers = 5) {
    testing_support::GroupingBuilder builder;
    for (std::size_t s = 1; s <= servers; ++s) {
      const std::string host = "s" + std::to_string(s);
      builder.add(GroupKind::kDaemons, host + "/calls", host, {{PartKind::kServer, host}});
    }
    grouping_ = builder.get();
  }
  /// \param rows  a row of a number per member for each second.
  std::set<std::string> saturated(const std::vector<double>& rows,
                                  const MetricSpec& metric = *find_metric("dread")) {
    const std::size_t members = grouping_.components.size();
    SaturationWatch watch(grouping_, parameters_);
    // In two runs, as a gap makes them.
    const std::size_t samples = rows.size() / members;
    const std::size_t first = samples / 2;
    const auto end = static_cast<std::int64_t>(samples);
    const auto middle = static_cast<std::int64_t>(first);
    watch.observe(0, metric, {0, middle}, std::span(rows).first(first * members));
    watch.observe(0, metric, {100 + middle, 100 + end}, std::span(rows).subspan(first * members));
    const TrainedTimes all = watch.saturated();
    if (all.empty()) return {};
    const auto of_members = trained_members(all, metric.name, grouping_, 0);
    for (std::size_t i = 0; i < members; ++i) {
      const std::string& name = grouping_.components[i].name;
      EXPECT_EQ(of_members[i].saturated, all.begin()->second.saturated.contains(name));
      EXPECT_TRUE(std::isinf(of_members[i].threshold));
    }
    EXPECT_THAT(trained_members(all, "other", grouping_, 0), SizeIs(0));
    return all.begin()->second.saturated;
  }

  Grouping grouping_;
  Parameters parameters_ = paper_parameters({});
};

TEST_F(Saturation, IsMoreThanTwiceTheMedianInMoreThanHalfOfTheSeconds) {
  EXPECT_THAT(saturated({5, 6, 7, 6, 13,  //
                         5, 6, 7, 6, 13,  //
                         5, 6, 30, 6, 8}),
              ElementsAre("s5/calls"));
  EXPECT_THAT(saturated({5, 6, 7, 6, 13,  //
                         5, 6, 7, 6, 8}),
              IsEmpty());
  EXPECT_THAT(saturated({5, 6, 7, 6, 12}), IsEmpty());
}

TEST_F(Saturation, IsNotWithinTheNoiseOfAMillisecond) {
  EXPECT_THAT(saturated({.1, .1, .1, .1, 1.0}), IsEmpty());
  EXPECT_THAT(saturated({.1, .1, .1, .1, 1.2}), ElementsAre("s5/calls"));
}

TEST_F(Saturation, OfSecondsThatWereNotSeenNothingIsKnown) {
  EXPECT_THAT(saturated({5, 6,        7, 6,        20,        //
                         5, 6,        7, 6,        kMissing,  //
                         5, 6,        7, 6,        0,         //
                         5, kMissing, 0, kMissing, 7}),
              ElementsAre("s5/calls"));
}

TEST_F(Saturation, IsNobodysWhereNoThreeAreLeft) {
  EXPECT_THAT(saturated({5, 5, 5, 30, 40}), ElementsAre("s4/calls", "s5/calls"));
  EXPECT_THAT(saturated({5, 5, kMissing, 30, kMissing,  //
                         5, kMissing, 5, 30, kMissing,  //
                         5, 5, 5, 30, kMissing}),
              ElementsAre("s4/calls"));
  EXPECT_THAT(saturated({5, 5, kMissing, 30, kMissing}), IsEmpty());
}

TEST_F(Saturation, IsLookedForInServiceTimesAlone) {
  EXPECT_THAT(saturated({5, 6, 7, 6, 20}, *find_metric("run-wait")), IsEmpty());
  parameters_ = {};
  EXPECT_THAT(saturated({5, 6, 7, 6, 20}), IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
