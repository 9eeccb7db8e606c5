#include "cmd/read_recording.h"

#include <gtest/gtest.h>

#include "testing/inventory.h"

namespace laggard::cmd {
namespace {

WallTime at(int second) { return WallTime{std::chrono::seconds(second)}; }

Inventory two_hosts() {
  Inventory inventory = laggard::testing_support::inventory_of(
      {laggard::testing_support::device_info("a", "sda", at(0), at(10'000)),
       laggard::testing_support::device_info("b", "sda", at(100), at(10'000))});
  inventory.gaps = {
      {"a", at(9'000), at(9'500), ""}, {"a", at(300), at(8'000), ""}, {"b", at(200), at(8'100), ""}};
  return inventory;
}

TEST(RecordedTime, IsWithoutTheGapsThatAllHostsHave) {
  // Somebody was recorded from 0 to 300 and from 8000 on.
  EXPECT_EQ(recorded_time(two_hosts(), {}), std::chrono::seconds(300 + 2000));
  EXPECT_EQ(recorded_span(two_hosts(), {}).to, at(10'000));
}

TEST(RecordedTime, TimeThatAClockSetBackRecordsTwiceIsNamedWhereItIsLookedAt) {
  Inventory inventory = two_hosts();
  inventory.clock_steps = {{"a", at(100), at(3'700), "clock stepped by +3600 s"},
                           {"a", at(5'000), at(1'400), "clock stepped by -3600 s"}};
  ASSERT_EQ(steps_back_within(inventory, {}).size(), 1U);
  EXPECT_EQ(steps_back_within(inventory, {})[0].reason, "clock stepped by -3600 s");
  ReadRequest request;
  request.from = at(5'000);
  EXPECT_TRUE(steps_back_within(inventory, request).empty());
}

TEST(RecordedTime, IsThatOfTheSpanAskedFor) {
  ReadRequest request;
  request.from = at(250);
  request.to = at(9'200);
  EXPECT_EQ(recorded_time(two_hosts(), request), std::chrono::seconds(50 + 1200));
  EXPECT_EQ(recorded_span(two_hosts(), request).from, at(250));
  request.from = at(400);
  request.to = at(7'000);
  EXPECT_EQ(recorded_time(two_hosts(), request), Duration{});
  EXPECT_EQ(recorded_time({}, {}), Duration{});
}

TEST(RecordedTime, OnlyGapsOfTheSpanAreListedAndCutToIt) {
  ReadRequest request;
  request.from = at(250);
  request.to = at(8'050);
  const auto gaps = gaps_within(two_hosts(), request);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].from, at(300));
  EXPECT_EQ(gaps[0].to, at(8'000));
  EXPECT_EQ(gaps[1].host, "b");
  EXPECT_EQ(gaps[1].from, at(250));
  EXPECT_EQ(gaps[1].to, at(8'050));
  request.to = at(280);
  request.from.reset();
  EXPECT_EQ(gaps_within(two_hosts(), request).size(), 1U);
  EXPECT_EQ(gaps_within(two_hosts(), {}).size(), 3U);
}

}  // namespace
}  // namespace laggard::cmd
