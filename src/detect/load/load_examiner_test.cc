#include "detect/load/load_examiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "testing/grouping.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_support::Sample;
using testing_support::samples_of;
using testing_support::second;

constexpr double kBegin = 1'800'000'000;

/// What a host does; NaN: not recorded.
struct Load {
  double running = 1;
  double cores = 0.5;
  double requests = 40;
  double queue = 0.2;
};

class LoadExaminerTest : public ::testing::Test {
 protected:
  LoadExaminerTest() {
    for (int server = 1; server <= 30; ++server) system_.disk("s" + std::to_string(server), "sdb");
  }

  /// Ten minutes of a host, and what was before them.
  void record(const std::string& host, const Load& load, double from = 0) {
    std::vector<Sample> of_host;
    std::vector<Sample> of_disk;
    for (double t = from; t <= 600; t += 30) {
      of_host.push_back({kBegin + t, {load.running, load.cores * 1000 * (t - from)}});
      of_disk.push_back({kBegin + t, {load.requests * (t - from), load.queue * 1000 * (t - from)}});
    }
    examiner_.add(samples_of(host, DeviceKind::kHost, "host", {"procs_running", "cpu_user_ms"}, of_host));
    examiner_.add(samples_of(host, DeviceKind::kDisk, "sdb", {"rd_ios", "weighted_ms"}, of_disk));
  }
  /// The peers s1 to sN but s2, each a little different.
  void record_peers(int last, const Load& load = {}) {
    for (int server = 1; server <= last; ++server) {
      if (server == 2) continue;
      const double factor = 1 + 0.02 * server;
      record("s" + std::to_string(server),
             {load.running, load.cores * factor, load.requests / factor, load.queue * factor});
    }
  }
  [[nodiscard]] std::vector<Evidence> ask(double until = 600, int last = 9, bool is_cut = false) const {
    return examiner_.examine(suspicion(until, last, is_cut));
  }
  /// The same about a server that probes fail at, or about its disk.
  [[nodiscard]] std::vector<Evidence> ask_why_it_fails(double until = 600, bool is_disk = false) const {
    Suspicion asked = suspicion(until, 9, false);
    asked.fails = true;
    if (is_disk) asked.suspect = asked.parts.front();
    return examiner_.examine(asked);
  }
  [[nodiscard]] static Suspicion suspicion(double until, int last, bool is_cut) {
    Suspicion suspicion{.suspect = {PartKind::kServer, "s2"},
                        .parts = {{PartKind::kDisk, "s2/sdb"}},
                        .interval = {second(kBegin), second(kBegin + until)},
                        .is_cut = is_cut,
                        .healthy = {}};
    for (int server = 1; server <= last; ++server) {
      if (server != 2) suspicion.healthy.push_back({PartKind::kDisk, "s" + std::to_string(server) + "/sdb"});
    }
    return suspicion;
  }

  testing_support::GroupingBuilder system_;
  LoadExaminer examiner_{system_.get()};
};

TEST_F(LoadExaminerTest, WhoHasMoreToDoThanItsPeersIsOverloaded) {
  record_peers(9);
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  const auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].mode, FailureMode::kOverload);
  EXPECT_FALSE(answers[0].surmised);
  EXPECT_GT(answers[0].score, 1);
  EXPECT_EQ(answers[0].peer_count, 8U);
  EXPECT_THAT(
      answers[0].note,
      AllOf(HasSubstr(
                "s2 has more to do than its 8 healthy peers: disk queue 60 requests (peers 0.222 requests)"),
            HasSubstr("its local outlier factor is ")));
  const auto& table = std::get<TablePayload>(answers[0].payloads.at(0).shape);
  EXPECT_THAT(table.rows, SizeIs(5)) << "all that was recorded, and the time that follows from it";
  EXPECT_THAT(examiner_.examine({.suspect = {PartKind::kServer, "s5"},
                                 .parts = {},
                                 .interval = {second(kBegin), second(kBegin + 600)},
                                 .healthy = {{PartKind::kServer, "s1"},
                                             {PartKind::kServer, "s3"},
                                             {PartKind::kServer, "s4"},
                                             {PartKind::kServer, "s6"}}}),
              IsEmpty());
}

TEST_F(LoadExaminerTest, WhatIsSlowAndNotBusyIsNoOverload) {
  record_peers(9);
  record("s2", {.running = 1, .cores = 0.3, .requests = 15, .queue = 60});
  EXPECT_THAT(ask(), IsEmpty()) << "more waits, and no more is done";
}

TEST_F(LoadExaminerTest, ABusyPeerThatIsWellSpeaksAgainstIt) {
  record("s7", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  record_peers(9);  // What is told of s7 once more is too late.
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 55});
  EXPECT_THAT(ask(), IsEmpty());
}

TEST_F(LoadExaminerTest, OfManyPeersOneInTwentyMayBeBusyWithSomethingElse) {
  record("s7", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  record_peers(30);
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 55});
  EXPECT_THAT(ask(600, 30), SizeIs(1));
  EXPECT_THAT(ask(600, 19), IsEmpty()) << "one of eighteen is no rare exception";
}

TEST_F(LoadExaminerTest, WhoDidAsMuchBeforeIsNoMoreBusyThanEver) {
  record_peers(9);
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 60}, -600);
  EXPECT_THAT(ask(), IsEmpty());
  EXPECT_THAT(ask(600, 9, true), SizeIs(1)) << "these minutes may belong to the incident";
}

TEST_F(LoadExaminerTest, PeersThatAreAlikeAndOneMetricAreEnough) {
  for (const char* host : {"s1", "s3", "s4"}) {
    examiner_.add(samples_of(host, DeviceKind::kHost, "host", {"cpu_user_ms"},
                             {{kBegin, {0}}, {kBegin + 300, {300'000}}, {kBegin + 600, {600'000}}}));
  }
  const auto of_s2 = [&](double cores) {
    LoadExaminer examiner = examiner_;
    examiner.add(
        samples_of("s2", DeviceKind::kHost, "host", {"cpu_user_ms"},
                   {{kBegin, {0}}, {kBegin + 300, {300e3 * cores}}, {kBegin + 600, {600e3 * cores}}}));
    return examiner.examine(
        {.suspect = {PartKind::kServer, "s2"},
         .parts = {},
         .interval = {second(kBegin), second(kBegin + 600)},
         .healthy = {{PartKind::kServer, "s1"}, {PartKind::kServer, "s3"}, {PartKind::kServer, "s4"}}});
  };
  EXPECT_THAT(of_s2(1), IsEmpty());
  EXPECT_THAT(of_s2(1.1), IsEmpty()) << "a difference that no spread makes large";
  EXPECT_THAT(of_s2(8), SizeIs(1));
}

TEST_F(LoadExaminerTest, FewPeersOrMinutesSayNothing) {
  record_peers(3);
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  EXPECT_THAT(ask(600, 3), IsEmpty()) << "two peers";
  record_peers(9);
  EXPECT_THAT(ask(600), SizeIs(1));
  EXPECT_THAT(ask(110), IsEmpty()) << "a minute";
  examiner_.complete(second(kBegin) + 1h);
  EXPECT_THAT(ask(600), IsEmpty()) << "what is old leaves";
}

TEST_F(LoadExaminerTest, WhatFailsAndHasNoMoreToDoThanItsPeersIsBroken) {
  record_peers(9);
  record("s2", {.running = 1, .cores = 0.3, .requests = 15, .queue = 60});
  const auto answers = ask_why_it_fails();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].mode, FailureMode::kReliability);
  EXPECT_TRUE(answers[0].surmised);
  EXPECT_TRUE(answers[0].waits) << "an overload would come first";
  EXPECT_EQ(answers[0].note,
            "s2 has no more to do than its 8 healthy peers or than before, and requests fail");
  EXPECT_THAT(ask(), IsEmpty()) << "no request fails";
  EXPECT_THAT(ask_why_it_fails(230), IsEmpty()) << "a load may still show";
  EXPECT_THAT(ask_why_it_fails(600, true), SizeIs(1));
}

TEST_F(LoadExaminerTest, WhatDoesMoreMayBeOverloadedAndNoLonelyOutlier) {
  record("s7", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  record_peers(9);  // What is told of s7 once more is too late.
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 55});
  EXPECT_THAT(ask_why_it_fails(), IsEmpty());
}

TEST_F(LoadExaminerTest, OfManyDisksOneMayDrownInTheSum) {
  record_peers(9);
  record("s2", {.running = 1, .cores = 0.5, .requests = 40, .queue = 60});
  for (const char* disk : {"sdc", "sdd", "sde"}) {
    examiner_.add(
        samples_of("s2", DeviceKind::kDisk, disk, {"rd_ios"}, {{kBegin, {0}}, {kBegin + 600, {1}}}));
  }
  EXPECT_THAT(ask_why_it_fails(600, true), SizeIs(1));
  examiner_.add(samples_of("s2", DeviceKind::kDisk, "sdf", {"rd_ios"}, {{kBegin, {0}}, {kBegin + 600, {1}}}));
  EXPECT_THAT(ask_why_it_fails(600, true), IsEmpty());
  EXPECT_THAT(ask_why_it_fails(), SizeIs(1)) << "the server's own load is that of all of them";
}

TEST_F(LoadExaminerTest, WhereNoWorkIsRecordedNothingIsKnownOfIt) {
  for (int server = 1; server <= 9; ++server) {
    examiner_.add(samples_of("s" + std::to_string(server), DeviceKind::kHost, "host", {"procs_blocked"},
                             {{kBegin, {1}}, {kBegin + 60, {1}}, {kBegin + 600, {1}}}));
  }
  EXPECT_THAT(ask_why_it_fails(), IsEmpty());
}

TEST_F(LoadExaminerTest, PeersThatLackWhatMostHaveAreLeftOut) {
  record_peers(6);
  for (const char* host : {"s7", "s8"}) {
    examiner_.add(samples_of(host, DeviceKind::kHost, "host", {"procs_running"},
                             {{kBegin, {50}}, {kBegin + 60, {50}}, {kBegin + 600, {50}}}));
  }
  record("s2", {.running = 6, .cores = 7, .requests = 900, .queue = 60});
  const auto answers = ask();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].peer_count, 5U);
  EXPECT_THAT(answers[0].note, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace laggard::detect
