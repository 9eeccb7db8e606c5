#include "collect/calls/call_periods.h"

#include <gtest/gtest.h>

#include <array>

#include "model/code_profile.h"

namespace laggard::collect {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ObservationBatch empty_batch() {
  constexpr std::array kKinds{kCallsKind, kCallTimeKind};
  return {"h", kCallsKind, kKinds};
}

constexpr WallTime kNoon{std::chrono::hours{12}};

TEST(CallPeriods, EndWithTheSecondsOfTheClock) {
  CallPeriods periods{seconds{1}};
  ObservationBatch batch = empty_batch();
  ASSERT_TRUE(periods.is_due(kNoon + milliseconds{300}));
  EXPECT_EQ(periods.until_due(), milliseconds{700});
  EXPECT_FALSE(
      periods.end_period({{"a;b;f", {.calls = 5, .microseconds = 7}}}, kNoon + milliseconds{300}, batch));
  EXPECT_TRUE(batch.profiles.front().empty()) << "what was counted before nobody looked on";
  EXPECT_FALSE(periods.is_due(kNoon + milliseconds{800}));
  EXPECT_EQ(periods.until_due(), milliseconds{200});
  ASSERT_TRUE(periods.is_due(kNoon + milliseconds{1001}));
  EXPECT_EQ(
      periods.end_period({{"a;b;f", {.calls = 2, .microseconds = 0}}}, kNoon + milliseconds{1001}, batch),
      (TimeSpan{kNoon + milliseconds{300}, kNoon + milliseconds{1001}}));
  ASSERT_TRUE(periods.is_due(kNoon + milliseconds{4500}));
  EXPECT_TRUE(
      periods.end_period({{"a;b;f", {.calls = 1, .microseconds = 3}}}, kNoon + milliseconds{4500}, batch));
  const ProfileTable& calls = batch.profiles.front();
  ASSERT_EQ(calls.periods().size(), 2U);
  EXPECT_EQ(calls.periods()[0].start, kNoon + milliseconds{300});
  EXPECT_EQ(calls.periods()[0].length, milliseconds{701});
  EXPECT_EQ(calls.periods()[1].length, milliseconds{3499}) << "late: one longer period";
  EXPECT_EQ(periods.calls(), 3U);
}

TEST(CallPeriods, AClockThatIsSetBackEndsOne) {
  CallPeriods periods{seconds{1}};
  ObservationBatch batch = empty_batch();
  ASSERT_TRUE(periods.is_due(kNoon));
  EXPECT_FALSE(periods.end_period({}, kNoon, batch));
  ASSERT_TRUE(periods.is_due(kNoon - seconds{60}));
  EXPECT_TRUE(periods.end_period({{"a;b;f", {.calls = 4, .microseconds = 0}}}, kNoon - seconds{60}, batch));
  ASSERT_EQ(batch.profiles.front().periods().size(), 1U);
  EXPECT_EQ(batch.profiles.front().periods()[0].length, Duration::zero());
  EXPECT_FALSE(periods.is_due(kNoon - seconds{60} + milliseconds{10}));
}

TEST(CallPeriods, TakesIntervalsThatMakeSense) {
  const auto of = [](const std::string& text) {
    EventSourceSetup setup;
    setup.options["interval"] = {text};
    return CallPeriods::interval_of(setup);
  };
  EXPECT_EQ(*of("200ms"), milliseconds{200});
  for (const char* text : {"", "1ms", "11m", "x"}) EXPECT_FALSE(of(text)) << text;
}

}  // namespace
}  // namespace laggard::collect
