#include "detect/logs/log_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "model/log_line.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);

const std::vector<Part> kHealthy{{PartKind::kDisk, "s1/sdb"}, {PartKind::kDisk, "s3/sdb"}};

class LogDetectorTest : public ::testing::Test {
 protected:
  LogDetectorTest() {
    for (const char* host : {"s1", "s2", "s3"}) system_.disk(host, "sdb");
  }

  /// A line of a host, so long after the start.
  void log(const std::string& host, Duration after, const std::string& text,
           std::optional<int> severity = {}) {
    EventTable table(host, std::string(kLogKind));
    LogAppender appender(table);
    ASSERT_TRUE(appender.append(
        {.time = kStart + after, .program = "kernel", .pid = {}, .severity = severity, .text = text}));
    detector_.take(table);
  }
  /// The answer about s2's disk, whose incident goes on from the start for two minutes.
  std::vector<Evidence> ask(const std::vector<Part>& healthy = kHealthy, bool is_cut = false) {
    return detector_.examine({.suspect = {PartKind::kServer, "s2"},
                              .parts = {{PartKind::kDisk, "s2/sdb"}},
                              .interval = {kStart, kStart + 2min},
                              .is_cut = is_cut,
                              .healthy = healthy});
  }
  static std::vector<std::string> lines(const Evidence& evidence) {
    std::vector<std::string> texts;
    EXPECT_EQ(std::get<GridPayload>(evidence.payloads.at(1).shape).rows.front(), "alone");
    for (const auto& line : std::get<LinesPayload>(evidence.payloads.at(0).shape).lines)
      texts.push_back(line.text);
    return texts;
  }

  testing_support::GroupingBuilder system_;
  LogDetector detector_{{.grouping = system_.get(), .step = 30s}};
};

TEST_F(LogDetectorTest, NamesWhatOnlyTheSuspectLogs) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  log("s1", 0s, "nfs: server home not responding, still trying");
  log("s3", 1s, "something routine", 6);
  log("s2", 2s, "nfs: server home not responding, still trying");
  log("s2", 3s, "something routine", 6);
  log("s2", 20s, "Device: /dev/sdb [SAT], 8 Currently unreadable (pending) sectors");
  log("s2", 10s, "blk_update_request: critical medium error, dev sdb, sector 7");
  const auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].mode, FailureMode::kReliability);
  EXPECT_THAT(answers[0].note, HasSubstr("2 lines around then that those of 2 healthy peers have not: "));
  EXPECT_THAT(lines(answers[0]), ElementsAre(HasSubstr("critical medium error"), HasSubstr("pending")));
  EXPECT_THAT(detector_.findings(), IsEmpty()) << "lines accuse nobody";
}

TEST_F(LogDetectorTest, AFailureOfAnotherKindAccountsForNothing) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  log("s1", 0s, "x", 6);
  log("s2", 0s, "ixgbe 0000:03:00.0 eth0: NIC Link is Down");
  log("s2", 1s, "md/raid:md0: read error corrected (8 sectors at 123456 on sdb1)");
  log("s2", 1s, "ata3: EH complete");
  auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].mode, std::nullopt) << "a link, a corrected error and a recovery";
  EXPECT_THAT(lines(answers[0]), SizeIs(3));
  log("s2", 2s, "INFO: task jbd2/sdb1-8:77 blocked for more than 120 seconds.");
  answers = ask();
  EXPECT_EQ(answers.at(0).mode, FailureMode::kReliability) << "what a host suffers, its disks do";
}

TEST_F(LogDetectorTest, LinesThatNoPatternKnowsAreComparedByTheirStatement) {
  log("s1", 0s, "acme: volume 3 is odd", 4);
  log("s2", 0s, "acme: volume 12 is odd", 4);
  log("s2", 1s, "acme: volume 12 is gone", 4);
  log("s2", 1s, "acme: volume 12 is fine", 5);
  const auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(lines(answers[0]), ElementsAre("acme: volume 12 is gone"));
  EXPECT_EQ(answers[0].mode, std::nullopt) << "nobody knows what it means";
}

TEST_F(LogDetectorTest, WordsThatVaryAmongHealthyPeersMakeNoDifference) {
  log("s1", 0s, "acme: volume alpha is odd", 4);
  log("s3", 0s, "acme: volume beta is odd", 4);
  log("s2", 0s, "acme: volume delta is odd", 4);
  EXPECT_THAT(ask(), SizeIs(1)) << "two do not show what varies";
  log("s3", 1s, "acme: volume gamma is odd", 4);
  EXPECT_THAT(ask(), IsEmpty());
  log("s2", 1s, "acme: volume alpha is gone", 4);
  EXPECT_THAT(lines(ask().at(0)), ElementsAre("acme: volume alpha is gone"));
}

TEST_F(LogDetectorTest, AnErrorThatWasElsewhereBeforeMeansNothing) {
  log("s1", 0s, "routine", 6);
  log("s2", 1s, "acme: volume 12 is gone", 3);
  ASSERT_THAT(ask(), SizeIs(1));
  EXPECT_EQ(ask()[0].mode, FailureMode::kReliability);
  EXPECT_TRUE(ask()[0].surmised);
  log("s4", 1s, "acme: volume 13 is gone", 3);
  EXPECT_THAT(ask(), SizeIs(1)) << "another host that may be sick, too";
  log("s4", -20min, "acme: volume 14 is gone", 3);
  EXPECT_THAT(ask(), IsEmpty()) << "before the incident";
  EXPECT_THAT(ask(kHealthy, true), SizeIs(1)) << "which may have begun before that";
  log("s2", 2s, "acme: volume 12 is lost", 3);
  log("s3", 2min + 1s, "acme: volume 1 is lost", 3);
  EXPECT_THAT(lines(ask().at(0)), ElementsAre("acme: volume 12 is lost")) << "what comes later is not known";
  log("s3", 2min, "acme: volume 1 is lost", 3);
  EXPECT_THAT(ask(), IsEmpty()) << "of a healthy peer at any time";
}

TEST_F(LogDetectorTest, WhatIsWordedAsAFailureIsAnErrorOfAnUnknownProgram) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  log("s1", 0s, "routine", 6);
  log("s2", 1s, "acme: volume 12 is lost", 6);
  EXPECT_THAT(ask(), IsEmpty()) << "its program says that it is none";
  log("s2", 1s, "acme: volume 12 is lost");
  ASSERT_THAT(ask(), SizeIs(1));
  EXPECT_EQ(ask()[0].mode, FailureMode::kReliability);
  EXPECT_TRUE(ask()[0].surmised);
  EXPECT_THAT(ask()[0].note, HasSubstr("wording-disk"));
  log("s3", 1s, "acme: volume 13 is lost");
  EXPECT_THAT(ask(), IsEmpty()) << "it is compared by its statement";
}

TEST_F(LogDetectorTest, WhatWaitsIsNoCause) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  log("s1", 0s, "routine", 6);
  log("s2", 1s, "INFO: task jbd2/sdb1-8:77 blocked for more than 120 seconds.");
  const Evidence waiting = ask().at(0);
  EXPECT_EQ(waiting.mode, FailureMode::kReliability);
  EXPECT_TRUE(waiting.surmised);
  EXPECT_TRUE(waiting.waits);
  log("s2", 2s, "acme: volume 12 is gone", 3);
  EXPECT_TRUE(ask().at(0).surmised);
  EXPECT_FALSE(ask().at(0).waits) << "an error that nobody knows may be the cause";
  log("s2", 3s, "blk_update_request: critical medium error, dev sdb, sector 7");
  EXPECT_FALSE(ask().at(0).surmised);
}

TEST_F(LogDetectorTest, WhatIsCorrectedTimeAndAgainIsACause) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  log("s1", 0s, "routine", 6);
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      EXPECT_EQ(ask().at(0).mode, std::nullopt) << "now and then";
    }
    log("s2", i * 40s, "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0");
    log("s2", i * 40s, "WARNING: CPU: 3 PID: 1234 at net/sched/sch_generic.c:467 dev_watchdog+0x260/0x270");
  }
  const Evidence corrected = ask().at(0);
  EXPECT_EQ(corrected.mode, FailureMode::kReliability);
  EXPECT_FALSE(corrected.surmised);
}

TEST_F(LogDetectorTest, WhatCannotBeToldFromTheSuspectIsLookedAt) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  const Suspicion suspicion{.suspect = {PartKind::kDisk, "s2/sdb"},
                            .parts = {{PartKind::kDisk, "s2/sdb"}},
                            .alike = {{PartKind::kServer, "s3"}},
                            .interval = {kStart, kStart + 2min},
                            .healthy = {{PartKind::kDisk, "s1/sdb"}}};
  log("s1", 0s, "routine", 6);
  log("s3", 1s, "ixgbe 0000:03:00.0 eth0: NIC Link is Down");
  auto answers = detector_.examine(suspicion);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(answers[0].note, HasSubstr("the log of s3 has 1 line around then"));
  EXPECT_EQ(answers[0].mode, FailureMode::kReliability) << "the server may as well be meant";
  Suspicion disk_alone = suspicion;
  disk_alone.alike = {{PartKind::kDisk, "s3/sdb"}};
  answers = detector_.examine(disk_alone);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].mode, std::nullopt) << "with a disk nothing is wrong because a link is down";
}

TEST_F(LogDetectorTest, WithoutAHealthyPeersLogThereIsNoDifference) {
  log("s2", 0s, "blk_update_request: critical medium error, dev sdb, sector 7", 3);
  EXPECT_THAT(ask(), IsEmpty());
  log("s1.example.org", 0s, "routine", 6);
  EXPECT_THAT(ask(), SizeIs(1)) << "a host's name with its domain";
  EXPECT_THAT(ask({}), IsEmpty());
}

TEST_F(LogDetectorTest, OnlyLinesAroundTheIncidentCount) {
  log("s1", 0s, "routine", 6);
  log("s2", -6min, "acme: volume 1 is gone", 3);
  log("s2", 3min, "acme: volume 2 is lost", 3);
  EXPECT_THAT(ask(), IsEmpty());
  log("s2", -4min, "acme: volume 3 is broken", 3);
  EXPECT_THAT(lines(ask().at(0)), ElementsAre("acme: volume 3 is broken"));
  detector_.complete(kStart + 30min);
  EXPECT_THAT(ask(), IsEmpty()) << "what is old leaves";
}

TEST_F(LogDetectorTest, AFloodOfLinesIsBounded) {
  log("s1", 0s, "routine", 6);
  EventTable table("s2", std::string(kLogKind));
  LogAppender appender(table);
  for (std::size_t i = 0; i < LogDetector::kMostLines + 10; ++i) {
    const std::string text = "acme: error " + std::string(1 + i % 7, 'x');
    ASSERT_TRUE(appender.append({.time = kStart, .program = {}, .pid = {}, .severity = 3, .text = text}));
  }
  detector_.take(table);
  const auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(answers[0].note, HasSubstr("its log has 4000 lines"));
  EXPECT_THAT(lines(answers[0]), SizeIs(LogDetector::kMostShown));
}

}  // namespace
}  // namespace laggard::detect
