#include "archive/file_name.h"

#include <gtest/gtest.h>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.

TEST(FileName, HostsOfAnySpelling) {
  for (const char* host : {"fs1", "fs-1.example.org", "a/b", "../etc", ".hidden", "été", "x y", "%41",
                           "fs1-20110509", "fs1+logs"}) {
    const FileName name{.writer = {host, "calls"}, .start = "2011-05-09T00:00:05Z"_utc, .copy = 1};
    const std::string text = to_file_name(name);
    EXPECT_EQ(text.find('/'), std::string::npos);
    EXPECT_NE(text.front(), '.');
    const auto parsed = parse_file_name(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->writer, name.writer);
    EXPECT_EQ(parsed->start, name.start);
    EXPECT_EQ(parsed->copy, 1);
  }
}

TEST(FileName, IsThatOfThePaper) {
  EXPECT_EQ(to_file_name({.writer = {"fs1", ""}, .start = "2011-05-09T00:00:05.9Z"_utc, .copy = 1}),
            "fs1-20110509T000005Z.lgd");
  EXPECT_EQ(to_file_name({.writer = {"fs1", ""}, .start = "2011-05-09T00:00:05Z"_utc, .copy = 2}),
            "fs1-20110509T000005Z-2.lgd");
  EXPECT_EQ(parse_file_name("fs1-20110509T000005Z-2.lgd")->copy, 2);
  EXPECT_EQ(parse_file_name("fs1-20110509T000005Z.lgd")->writer, (WriterName{"fs1", ""}));
  EXPECT_EQ(to_file_name({.writer = {"fs1", "logs"}, .start = "2011-05-09T00:00:05Z"_utc, .copy = 1}),
            "fs1+logs-20110509T000005Z.lgd");
}

TEST(FileName, OthersAreNotOurs) {
  for (const char* name :
       {"", ".lgd", "fs1.lgd", "fs1-20110509T000005Z.lgd-wal", "-20110509T000005Z.lgd",
        "fs1-20119909T000005Z.lgd", "fs1-20110509T000005Z-1.lgd", "%4-20110509T000005Z.lgd",
        "fs1+-20110509T000005Z.lgd", "fs1+Logs-20110509T000005Z.lgd", "+logs-20110509T000005Z.lgd",
        "fs1+a+b-20110509T000005Z.lgd"}) {
    EXPECT_FALSE(parse_file_name(name)) << name;
  }
}

TEST(RecordingDay, TurnsFiveSecondsPastMidnight) {
  const std::int64_t day = recording_day("2011-05-09T12:00:00Z"_utc);
  EXPECT_EQ(recording_day("2011-05-09T00:00:05Z"_utc), day);
  EXPECT_EQ(recording_day("2011-05-09T00:00:04.999Z"_utc), day - 1);
  EXPECT_EQ(recording_day("2011-05-10T00:00:04.999Z"_utc), day);
  EXPECT_EQ(recording_day("2011-05-10T00:00:05Z"_utc), day + 1);
  EXPECT_EQ(recording_day("1969-12-31T12:00:00Z"_utc), -1);
}

TEST(RecordingDay, AStepBackOverMidnightStaysInTheNewDay) {
  const std::int64_t day = recording_day("2011-05-09T12:00:00Z"_utc);
  EXPECT_TRUE(stays_in_day("2011-05-09T00:00:00Z"_utc, day));
  EXPECT_FALSE(stays_in_day("2011-05-08T23:59:59Z"_utc, day)) << "more than five seconds";
  EXPECT_FALSE(stays_in_day("2011-05-10T00:00:05Z"_utc, day));
}

}  // namespace
}  // namespace laggard::archive
