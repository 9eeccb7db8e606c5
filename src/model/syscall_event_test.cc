#include "model/syscall_event.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace laggard {
namespace {

SyscallEvent call(std::string_view arguments, std::span<const std::uint64_t> values,
                  std::string_view result) {
  return {.time = from_unix_ns(1'000'000'000),
          .took = Duration{5},
          .lwp = 7,
          .name = "pread64",
          .arguments = arguments,
          .values = values,
          .result = result,
          .object = "/f",
          .sequence = 9,
          .is_direct = true};
}

/// Arguments and result as they come out again.
std::string told(const SyscallEvent& event) {
  EventTable table("h", std::string(kSyscallKind));
  EXPECT_TRUE(SyscallAppender(table).append(event));
  SyscallRows rows(table);
  const SyscallEvent again = rows.at(0);
  EXPECT_EQ(again.sequence, 9U);
  EXPECT_EQ(again.object, "/f");
  EXPECT_TRUE(again.is_direct);
  return std::string(again.arguments) + " = " + std::string(again.result);
}

TEST(SyscallAppender, ACallsTimeInTheTableIsWhenItWasKnown) {
  EventTable table("h", std::string(kSyscallKind));
  SyscallAppender appender(table);
  const WallTime begun = from_unix_ns(1'000);
  for (const SyscallEnd end : {SyscallEnd::kReturned, SyscallEnd::kRunning, SyscallEnd::kIdle}) {
    EXPECT_TRUE(appender.append({.time = begun,
                                 .took = Duration{7},
                                 .lwp = {},
                                 .name = "read",
                                 .arguments = {},
                                 .result = {},
                                 .object = {},
                                 .end = end}));
  }
  EXPECT_THAT(table.times(), testing::ElementsAre(begun + Duration{7}, begun, begun));
  SyscallRows rows(table);
  for (std::size_t e = 0; e < table.size(); ++e) EXPECT_EQ(rows.at(e).time, begun);
}

TEST(SyscallEvent, ValuesComeBackInTheirPlaces) {
  const std::array<std::uint64_t, 3> values{UINT64_MAX, UINT64_MAX, UINT64_MAX};
  EXPECT_EQ(told(call("3</f>, <d>, <u>, <x>", values, "1")),
            "3</f>, -1, 18446744073709551615, 0xffffffffffffffff = 1");
  const std::array<std::uint64_t, 2> zeros{0, 0};
  EXPECT_EQ(told(call("<x>, <d>", zeros, "0")), "0, 0 = 0");
}

TEST(SyscallEvent, TextsWithoutValuesStayWhatTheyAre) {
  EXPECT_EQ(told(call("3</a/<u>>, <x>", {}, "3</<d>>")), "3</a/<u>>, <x> = 3</<d>>");
  const std::array<std::uint64_t, 1> one{5};
  EXPECT_EQ(told(call("<u>, <u>", one, "1")), "5, <u> = 1");
  EXPECT_EQ(told(call("none", one, "1")), "none = 1");
}

TEST(SyscallEvent, ResultsAreWrittenAsTheyWere) {
  for (const std::string result :
       {"0", "-1 ENOENT (No such file or directory)", "0x7f0000001000", "0x0", "0xABC", "0x",
        "0x8000 (flags O_RDWR)", "007", "-0", "+1", "?", "-9223372036854775808", "1 "}) {
    EXPECT_EQ(told(call("", {}, result)), " = " + result);
  }
}

TEST(SyscallEvent, AddressesMakeNoTextsOfTheirOwn) {
  EventTable table("h", std::string(kSyscallKind));
  SyscallAppender appender(table);
  for (std::uint64_t i = 1; i < 100; ++i) {
    std::string result;
    add_number(i << 12, "<x>", result);
    ASSERT_TRUE(appender.append(call("<x>", std::array{i}, result)));
  }
  EXPECT_EQ(table.words().size(), 3U);
}

TEST(SyscallEvent, OfOneShapeAreToldAlikeHoweverManyThereAre) {
  EventTable table("h", std::string(kSyscallKind));
  SyscallAppender appender(table);
  constexpr std::uint32_t kShapes = 1000;
  for (std::uint32_t i = 0; i < 2 * kShapes; ++i) {
    const std::string arguments = std::to_string(i % kShapes) + ", <u>";
    const std::array<std::uint64_t, 1> values{i};
    SyscallEvent event = call(arguments, values, {});
    event.plain_result = -std::int64_t{i};
    event.shape = 1 + i % kShapes;
    ASSERT_TRUE(appender.append(event));
  }
  SyscallRows rows(table);
  for (std::uint32_t i = 0; i < 2 * kShapes; ++i) {
    const SyscallEvent event = rows.at(i);
    EXPECT_EQ(event.arguments, std::to_string(i % kShapes) + ", " + std::to_string(i));
    EXPECT_EQ(event.result, std::to_string(-std::int64_t{i}));
  }
}

TEST(SyscallEvent, PlacesAreCounted) {
  EXPECT_EQ(argument_places(""), 0U);
  EXPECT_EQ(argument_places("<<d><u>>, <x"), 2U);
}

}  // namespace
}  // namespace laggard
