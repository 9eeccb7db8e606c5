#include "detect/peer/judge/service_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/missing.h"
#include "detect/peer/judge/group_judge.h"

namespace laggard::detect {
namespace {

using ::testing::ElementsAre;

const MetricSpec& dread() { return *find_metric("dread"); }

TEST(Deviation, IsHowFivePapersMetricsAreJudgedAndNoOther) {
  std::vector<std::string_view> names;
  for (const MetricSpec& metric : metric_catalogue()) {
    if (is_judged_by_deviation(metric, paper_parameters({}).policies)) names.push_back(metric.name);
    EXPECT_FALSE(is_judged_by_deviation(metric, Parameters{}.policies));
  }
  EXPECT_THAT(names, ElementsAre("dread", "dwrite", "dwrite-direct", "nsread", "ncread"));
}

constexpr double kUnknown = std::numeric_limits<double>::infinity();
const TrainedMember kSaturated{kUnknown, true};

double representative_of(std::vector<double> times, std::vector<TrainedMember> members = {}) {
  return representative(times, members);
}

TEST(Representative, IsTheMedianOfThoseThatWereSeenAndAreNotSaturated) {
  EXPECT_EQ(representative_of({1, 2, 9, 4}), 3);
  EXPECT_EQ(representative_of({1, 2, 9, 4}, {{}, {}, kSaturated, {}}), 2);
  EXPECT_EQ(representative_of({1, kMissing, 9, 4}), 4);
  EXPECT_EQ(representative_of({1, 0, 9, 4}), 4) << "no call is no time";
  EXPECT_TRUE(std::isnan(representative_of({1, 0, 9, kMissing})));
  EXPECT_TRUE(std::isnan(representative_of({1, 2, 9, kMissing}, {{}, {}, kSaturated, {}})));
}

TEST(Representative, LeavesOutWhoIsFaulty) {
  const std::vector<TrainedMember> of_two(5, {2, false});
  EXPECT_EQ(representative_of({1, 2, 3, 4, 5}, of_two), 3) << "nobody is";
  EXPECT_EQ(representative_of({1, 2, 3, 4, 90}, of_two), 2.5);
  EXPECT_EQ(representative_of({1, 2, 3, 80, 90}, of_two), 2) << "three stay";
  EXPECT_EQ(representative_of({1, 2, 70, 80, 90}, of_two), 80) << "of most it cannot be";
  EXPECT_EQ(representative_of({1, 2, 3, 7, 9}, {{9}, {9}, {9}, {1}, {3}}), 2) << "by its own threshold";
  EXPECT_EQ(representative_of({1, 1, 50, 9, 90, 90, 90}, std::vector<TrainedMember>(7, {100, false})), 50);
}

/// The first window of `rows`, rows of a number per member.
std::vector<double> distances(const std::vector<std::vector<double>>& rows,
                              std::vector<TrainedMember> members = {}) {
  JudgeOptions options;
  options.windows = {std::chrono::seconds(1), rows.size(), 1, 5, 3};
  options.parameters = paper_parameters({});
  if (!members.empty()) options.trained = {std::move(members)};
  GroupJudge judge({{&dread(), true}}, rows.front().size(), options);
  JudgeMemory memory(options.distances, options.parameters);
  std::vector<double> found;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::vector<std::span<const double>> row{rows[k]};
    judge.push(from_unix_ns(static_cast<std::int64_t>(1'000'000'000 * k)), row, memory,
               [&](WindowJudgement& window) {
                 ASSERT_EQ(window.tracks.size(), 1U);
                 EXPECT_EQ(window.tracks.front().detector, kDeviationDetector);
                 found = window.tracks.front().distance;
               });
  }
  return found;
}

TEST(Deviation, IsTheLargestOfTheWindowsSecondsWithoutAnAverage) {
  EXPECT_THAT(distances({{5, 6, 7}, {5, 9, 7}, {5, 6, 1}, {5, 6, 7}}), ElementsAre(2, 2, 4));
}

TEST(Deviation, ASecondThatWasNotSeenIsNotJudgedByTheOneBeforeIt) {
  EXPECT_THAT(distances({{5, 6, 7, 6}, {kMissing, 1, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}}),
              ElementsAre(1, 0, 1, 0));
}

TEST(Deviation, OfOneThatIsSaturatedIsToTheMedianOfTheOthers) {
  EXPECT_THAT(
      distances({{5, 6, 7, 60}, {5, 6, 7, 50}, {5, 6, 7, 60}, {5, 6, 7, 60}}, {{}, {}, {}, kSaturated}),
      ElementsAre(1, 0, 1, 54));
}

TEST(Deviation, OfTwoNobodyKnowsWhichIsOdd) {
  const double gone = kMissing;
  const auto off = distances({{5, 9, gone, 7}, {5, 9, gone, gone}, {5, gone, 90, gone}, {5, 9, gone, 7}});
  EXPECT_EQ(off[0], 2);
  EXPECT_EQ(off[1], 2);
  EXPECT_TRUE(std::isnan(off[2])) << "never together with two others";
  EXPECT_EQ(off[3], 0);
}

}  // namespace
}  // namespace laggard::detect
