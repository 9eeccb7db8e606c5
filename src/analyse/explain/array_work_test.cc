#include "analyse/explain/array_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/explain/testing_grouping.h"
#include "analyse/metric/testing_samples.h"
#include "base/missing.h"

namespace laggard::analyse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::Sample;
using testing_support::samples_of;
using testing_support::second;

constexpr double kCheck = 1;
constexpr double kRecover = 4;
constexpr double kFrozen = 6;

SampleTable states(const std::vector<Sample>& samples, const std::string& host = "s1",
                   const std::string& device = "md0") {
  return samples_of(host, DeviceKind::kDisk, device, {"rd_ios", "sync_action"}, samples);
}

std::vector<ExpectedWork> work_of(const std::vector<SampleTable>& tables) {
  const Grouping grouping;
  ArrayWork work(grouping);
  for (const SampleTable& table : tables) work.add(table);
  return work.work();
}

TEST(ArrayWork, IsFromTheFirstBusySampleToTheFirstIdleOne) {
  const auto work = work_of({states({{10, {1, 0}}, {11, {2, kCheck}}, {12, {3, kCheck}}}),
                             states({{13, {4, kCheck}}, {14, {5, 0}}, {15, {6, 0}}, {20, {7, kCheck}}})});
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].what, "md0: check");
  EXPECT_THAT(work[0].where, ElementsAre("s1/md0"));
  EXPECT_EQ(work[0].once, (TimeSpan{second(11), second(14)}));
  EXPECT_EQ(work[1].once, (TimeSpan{second(20), second(20)})) << "still going on";
}

TEST(ArrayWork, WhatTurnsIntoSomethingElseIsOnePieceOfWork) {
  const auto work =
      work_of({states({{1, {1, kRecover}}, {2, {1, kCheck}}, {3, {1, kRecover}}, {4, {1, 0}}})});
  ASSERT_EQ(work.size(), 1U);
  EXPECT_EQ(work[0].what, "md0: recover, check");
}

TEST(ArrayWork, FrozenAndUnknownStatesAreNone) {
  EXPECT_THAT(work_of({states({{1, {1, kFrozen}}, {2, {1, 99}}, {3, {1, kMissing}}, {4, {1, 0}}})}),
              IsEmpty());
}

TEST(ArrayWork, ALostSampleDoesNotEndItButALongSilenceDoes) {
  const auto lost = work_of({states({{1, {1, kCheck}}, {2, {1, kMissing}}, {3, {1, kCheck}}, {4, {1, 0}}})});
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].once, (TimeSpan{second(1), second(4)}));
  const auto silent =
      work_of({states({{1, {1, kCheck}}, {2, {1, kCheck}}, {5000, {1, kCheck}}, {5001, {1, 0}}})});
  ASSERT_EQ(silent.size(), 2U);
  EXPECT_EQ(silent[0].once, (TimeSpan{second(1), second(2)}));
  EXPECT_EQ(silent[1].once, (TimeSpan{second(5000), second(5001)}));
}

TEST(ArrayWork, IsOfTheComponentThatStandsForTheArray) {
  testing_support::GroupingBuilder builder;
  builder.servers(3, 1, false);
  Grouping grouping = builder.get();
  grouping.resolver.add_device({"s2", DeviceKind::kDisk, "md0"}, ComponentId{1});
  ArrayWork work(grouping);
  work.add(states({{1, {1, kCheck}}, {2, {1, 0}}}, "s2"));
  ASSERT_EQ(work.work().size(), 1U);
  EXPECT_THAT(work.work()[0].where, ElementsAre(grouping.components[1].name));
}

TEST(ArrayWork, TablesWithoutTheLevelSayNothing) {
  EXPECT_THAT(work_of({samples_of("s1", DeviceKind::kDisk, "md0", {"rd_ios"}, {{1, {5}}})}), IsEmpty());
}

}  // namespace
}  // namespace laggard::analyse
