#include "collect/import/csv/moment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::collect {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kThen = 1'795'202'494'842'000'000;

std::optional<std::int64_t> ns_of(std::string_view text, const CsvTimes& times = {}) {
  std::string why;
  const auto time = parse_moment(text, times, why);
  if (!time) return std::nullopt;
  return to_unix_ns(*time);
}

std::string why_not(std::string_view text, const CsvTimes& times = {}) {
  std::string why;
  EXPECT_FALSE(parse_moment(text, times, why)) << text;
  return why;
}

TEST(Moment, UnixTimesAreToldByTheirDigits) {
  for (const char* text : {"1795202494.842", "1795202494842", "1795202494842000", "1795202494842000000",
                           " 1795202494.842 ", "2026-11-20T19:21:34.842Z", "2026-11-20T20:21:34.842+01:00"}) {
    EXPECT_EQ(ns_of(text), kThen) << text;
  }
  EXPECT_EQ(ns_of("0"), 0);
  EXPECT_FALSE(ns_of("17952024948420")) << "fourteen digits are nothing";
}

TEST(Moment, UnixTimesInAUnitThatIsSaid) {
  EXPECT_EQ(ns_of("1795202494842", {.format = "ms", .zone = {}}), kThen);
  EXPECT_EQ(ns_of("1795202494842.5", {.format = "ms", .zone = {}}), kThen + 500'000);
  EXPECT_EQ(ns_of("1795202494842000", {.format = "us", .zone = {}}), kThen);
  EXPECT_EQ(ns_of("1795202494842000000", {.format = "ns", .zone = {}}), kThen);
  EXPECT_EQ(ns_of("5000", {.format = "ms", .zone = {}}), 5'000'000'000);
  EXPECT_THAT(why_not("12:00", {.format = "ms", .zone = {}}), HasSubstr("'12:00' is no Unix time in ms"));
  EXPECT_THAT(why_not("99999999999999999999", {.format = "ns", .zone = {}}),
              HasSubstr("is no Unix time in ns"));
}

TEST(Moment, PatternsSayHowTimesAreWritten) {
  const CsvTimes german{.format = "%d.%m.%Y %H:%M:%S", .zone = std::chrono::hours(1)};
  EXPECT_EQ(ns_of("20.11.2026 20:21:34,842", german), kThen);
  EXPECT_EQ(ns_of("20.11.2026 20:21:34.842", german), kThen);
  EXPECT_EQ(ns_of("11/20/26 7:21", {.format = "%m/%d/%y %H:%M", .zone = {}}),
            kThen - 842'000'000 - (12 * 3600 + 34) * 1'000'000'000LL);
  EXPECT_EQ(ns_of("20261120192134.842 +0000", {.format = "%Y%m%d%H%M%S %z", .zone = {}}), kThen);
  EXPECT_EQ(ns_of("20261120192134.842 +0000", {.format = "%Y%m%d%H%M%S %z", .zone = std::chrono::hours(5)}),
            kThen)
      << "a zone that is written counts";
  for (const char* wrong :
       {"31.02.2026 20:21:34", "20.11.2026", "20.11.2026 20:21:34 ", "20.11.2026 24:00:00", "", "x"}) {
    EXPECT_THAT(why_not(wrong + std::string("?"), german), HasSubstr("is no time like '%d.%m.%Y %H:%M:%S'"));
  }
  EXPECT_FALSE(ns_of("100%", {.format = "100%%", .zone = {}}));
}

TEST(Moment, ATimeWithoutAZoneTakesOne) {
  EXPECT_THAT(why_not("2026-11-20 19:21:34"), HasSubstr("--tz +01:00"));
  EXPECT_EQ(ns_of("2026-11-20 13:51:34.842", {.format = {}, .zone = -std::chrono::minutes(330)}), kThen);
  EXPECT_EQ(ns_of("2026-11-20T19:21:34.842Z", {.format = {}, .zone = std::chrono::hours(9)}), kThen);
}

TEST(Moment, ZonesAreDistances) {
  EXPECT_EQ(parse_zone("+01:00").value(), std::chrono::hours(1));
  EXPECT_EQ(parse_zone("-0530").value(), -std::chrono::minutes(330));
  EXPECT_EQ(parse_zone("UTC").value(), Duration::zero());
  EXPECT_EQ(parse_zone("Z").value(), Duration::zero());
  for (const char* wrong : {"Europe/Berlin", "+1:99", "+15:00", "1", "", "+01:00 "})
    EXPECT_FALSE(parse_zone(wrong)) << wrong;
}

TEST(Moment, FormatsNameADateAndATime) {
  EXPECT_TRUE(check_format(""));
  EXPECT_TRUE(check_format("us"));
  EXPECT_TRUE(check_format("%d.%m.%Y %H:%M"));
  for (const char* wrong : {"iso", "%H:%M:%S", "%d.%m.%Y"}) EXPECT_FALSE(check_format(wrong)) << wrong;
}

}  // namespace
}  // namespace laggard::collect
