#include "collect/import/pings/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// `time client operation target outcome latency error`
std::string probe_of(const EventTable& table, std::size_t e) {
  const EventTable::Event event = table.event(e);
  return fmt::format("{} {} {} {} {} {} {}", to_iso8601(event.time), table.host(),
                     table.word(table.find_attribute("operation", AttributeForm::kWord), e),
                     table.words().text(event.subject), table.words().text(event.what),
                     event.duration ? std::to_string(event.duration->count()) : "-",
                     table.word(table.find_attribute("error", AttributeForm::kWord), e));
}

class PingImportTest : public FolderTest {
 protected:
  ImportResult import(const std::string& text, const ProbeDefaults& defaults = {}) {
    const std::vector files{write("probes.csv", text)};
    auto result = import_pings(files, defaults, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }
  /// The one error of a table.
  std::string error_of(const std::string& text, const ProbeDefaults& defaults = {}) {
    const ImportResult result = import(text, defaults);
    EXPECT_THAT(result.errors, SizeIs(1)) << text;
    return result.errors.empty() ? "" : result.errors.front().message();
  }

  EventLines sink_{"ping", probe_of};
  QuietObserver observer_;
};

TEST_F(PingImportTest, TheLeastThatAProbeIs) {
  const ImportResult result = import(
      "target,latency_ms,time\nost3,12.5,1795202494\nost3,,1795202554\nost4,1000,2026-11-20T19:22:34Z\n",
      {.client = "c1"});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(sink_.lines, ElementsAre("2026-11-20T19:21:34Z c1 WrEx ost3 ok 12500000 ",
                                       "2026-11-20T19:22:34Z c1 WrEx ost3 timeout - ",
                                       "2026-11-20T19:22:34Z c1 WrEx ost4 slow 1000000000 "));
  EXPECT_EQ(result.values, 3U);
  EXPECT_EQ(result.hosts, 1U);
  EXPECT_EQ(result.sources, 1U);
}

TEST_F(PingImportTest, WhatIsWrittenStandsAndWhatIsNotFollowsFromIt) {
  const ImportResult result = import(
      "time,client,target,operation,latency_s,outcome,error,colour\n"
      "1795202494,c1,\"ost,3\",CrWr,2,ok,,red\n"
      "1795202494,c2,ost4,RmEx,0.001,,EIO,red\n"
      "1795202494,c2,ost4,RmEx,,skipped,,red\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(sink_.lines, ElementsAre("2026-11-20T19:21:34Z c1 CrWr ost,3 ok 2000000000 ",
                                       "2026-11-20T19:21:34Z c2 RmEx ost4 error 1000000 EIO",
                                       "2026-11-20T19:21:34Z c2 RmEx ost4 skipped - "));
}

TEST_F(PingImportTest, WhatWasExportedIsRead) {
  const ImportResult result = import(
      "time,host,kind,subject,what,duration_s,attributes\n"
      "1795202494.000000001,c1,ping,a,ok,0.012345678,operation=CrWr probe=7 direct=0\n"
      "1795202495,c1,log,,boot,,\n"
      "1795202496,c1,ping,a,error,0.5,operation=WrEx probe=8 error=ENOSPC\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(sink_.lines, ElementsAre("2026-11-20T19:21:34.000000001Z c1 CrWr a ok 12345678 ",
                                       "2026-11-20T19:21:36Z c1 WrEx a error 500000000 ENOSPC"));
}

TEST_F(PingImportTest, EachMistakeIsSaidWithItsPlace) {
  EXPECT_THAT(error_of(""), HasSubstr("is empty"));
  EXPECT_THAT(error_of("target,latency_ms\n"), HasSubstr("probes.csv:1: names no column `time`"));
  EXPECT_THAT(error_of("time,latency_ms\n"), HasSubstr("names no column `target`"));
  EXPECT_THAT(error_of("time,client,target,latency\n"), HasSubstr("a latency without its unit"));
  EXPECT_THAT(error_of("time,client,target\n"), HasSubstr("neither a latency"));
  EXPECT_THAT(error_of("time,target,outcome\n"), HasSubstr("say with --client"));
  EXPECT_THAT(error_of("time,host,client,target,outcome\n"), HasSubstr("two columns for the same: `client`"));
  const std::string header = "time,client,target,operation,latency_ms,outcome\n";
  EXPECT_THAT(error_of(header + "yesterday,c1,a,WrEx,1,ok\n"), HasSubstr("probes.csv:2: "));
  EXPECT_THAT(error_of(header + "1795202494,c1,a,WrEx,-1,ok\n"), HasSubstr("latency `-1`"));
  EXPECT_THAT(error_of(header + "1795202494,c1,a,WrEx,nan,ok\n"), HasSubstr("latency `nan`"));
  EXPECT_THAT(error_of(header + "1795202494,c1,a,WrEx,1,fine\n"),
              HasSubstr("outcome `fine` is none of ok, "));
  EXPECT_THAT(error_of(header + "1795202494,c1,a,write,1,ok\n"), HasSubstr("operation `write` is none of"));
  EXPECT_THAT(error_of(header + "1795202494,c1,,WrEx,1,ok\n"), HasSubstr("names no target"));
  EXPECT_THAT(error_of(header + "1795202494,c1,a\n"), HasSubstr("has 3 fields where the header has 6"));
}

TEST_F(PingImportTest, WhatStoodBeforeABadLineIsImportedAndSoAreOtherFiles) {
  const std::string header = "time,client,target,latency_ms\n";
  const std::vector files{
      write("bad.csv", header + "1795202494,c1,a,1\n1795202495,c1,a,x\n1795202496,c1,a,1\n"),
      write("good.csv", header + "1795202497,c1,a,1\n")};
  const auto result = import_pings(files, {}, sink_, observer_);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->errors, SizeIs(1));
  EXPECT_THAT(sink_.lines, SizeIs(2));
  EXPECT_EQ(shell("gzip good.csv"), 0);
  const std::vector packed{folder_ / "good.csv.gz"};
  EXPECT_EQ(import_pings(packed, {}, sink_, observer_)->values, 1U);
}

TEST_F(PingImportTest, AFullSinkEndsIt) {
  sink_.full = true;
  const std::vector files{write("a.csv", "time,client,target,latency_ms\n1795202494,c1,a,1\n")};
  const auto result = import_pings(files, {}, sink_, observer_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace laggard::collect
