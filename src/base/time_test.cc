#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "testing/property.h"

namespace laggard {
namespace {
TEST(Time, ParsesUnixSecondsExactly) {
  EXPECT_EQ(to_unix_ns(*parse_time("1795202494.842")), 1795202494842000000);
  EXPECT_EQ(to_unix_ns(*parse_time("0")), 0);
  EXPECT_EQ(to_unix_ns(*parse_time("-1.5")), -1500000000);
}

TEST(Time, ParsesIso8601WithZones) {
  EXPECT_EQ(to_unix_ns(*parse_time("2011-05-09T00:00:05Z")), 1304899205000000000);
  EXPECT_EQ(*parse_time("2011-05-09T02:00:05+02:00"), *parse_time("2011-05-09T00:00:05Z"));
  EXPECT_EQ(*parse_time("2011-05-08 19:30:05.25-0430"), *parse_time("2011-05-09T00:00:05.25Z"));
}

TEST(Time, RefusesWhatIsAmbiguousOrWrong) {
  for (const char* bad : {"", "yesterday", "2011-05-09T00:00:05", "2011-13-09T00:00:05Z", "12.5x", "1e5",
                          "99999999999999999999", "2011-02-30T00:00:00Z"}) {
    EXPECT_FALSE(parse_time(bad).has_value()) << bad;
  }
}

TEST(Time, RefusesWhatIsTooFarAwayForADifference) {
  for (const char* bad : {"1713-11-20T19:21:34Z", "2262-01-01T00:00:00Z", "4700000000", "-4700000000.5"}) {
    EXPECT_FALSE(parse_time(bad).has_value()) << bad;
  }
  EXPECT_FALSE(parse_file_stamp("22000101T000000Z").has_value());
  EXPECT_LT(*parse_time("1824-01-01T00:00:00Z") - *parse_time("2115-12-31T23:59:59Z"), Duration::zero());
}

TEST(Time, RoundTrips) {
  expect_property("every nanosecond survives its ISO form", [] {
    const auto ns = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000'000'000);
    RC_ASSERT(to_unix_ns(*parse_time(to_iso8601(from_unix_ns(ns)))) == ns);
    const auto whole = ns - ns % 1'000'000'000;
    RC_ASSERT(to_unix_ns(*parse_file_stamp(to_file_stamp(from_unix_ns(ns)))) == whole);
  });
}

TEST(Time, Durations) {
  EXPECT_EQ(*parse_duration("15s"), std::chrono::seconds(15));
  EXPECT_EQ(*parse_duration("1m30s"), std::chrono::seconds(90));
  EXPECT_EQ(*parse_duration("0.5"), std::chrono::milliseconds(500));
  EXPECT_EQ(to_text(std::chrono::seconds(90)), "1m30s");
  EXPECT_EQ(to_text(std::chrono::hours(48)), "2d");
  for (const char* bad : {"", "s", "5x", "-1s", "1e300d"}) EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Time, FloorsTowardsThePast) {
  EXPECT_EQ(floor_to(from_unix_ns(-1), Duration{10}), from_unix_ns(-10));
  EXPECT_EQ(floor_to(from_unix_ns(19), Duration{10}), from_unix_ns(10));
}

}  // namespace
}  // namespace laggard
