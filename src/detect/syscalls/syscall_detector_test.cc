#include "detect/syscalls/syscall_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detect/syscalls/normal_errors.h"
#include "model/resolver.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::GroupingBuilder;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);
constexpr int kServers = 5;

std::string server_name(int server) { return "s" + std::to_string(server); }

/// A connection of the client c1 to a server, as descriptors are told.
std::string connection(int server) {
  return "TCP:[10.0.1.1:4000" + std::to_string(server) + "->10.0.0." + std::to_string(server) + ":3334]";
}

Grouping system_of_five() {
  GroupingBuilder builder;
  builder.servers(kServers, 1, false);
  Grouping grouping = builder.get();
  for (int server = 1; server <= kServers; ++server) {
    const auto host = grouping.resolver.add_host(server_name(server), SeriesResolver::Party::kServer);
    grouping.resolver.add_address("10.0.0." + std::to_string(server), host);
  }
  return grouping;
}

/// Five servers that are traced, and a client with a daemon and applications.
class SemanticDiagnosis : public testing::Test {
 protected:
  static constexpr Duration kStep = 30s;

  SemanticDiagnosis() : grouping_(system_of_five()), detector_({grouping_, kStep}) {}

  void call(const std::string& host, Duration at, std::string_view name, std::string_view object,
            std::string_view result, std::optional<Duration> took = 1ms,
            SyscallEnd end = SyscallEnd::kReturned, std::int64_t lwp = 7) {
    calls_.push_back({host,
                      {.time = kStart + at,
                       .took = took,
                       .lwp = lwp,
                       .name = name,
                       .arguments = {},
                       .result = result,
                       .object = object,
                       .end = end}});
    objects_.emplace_back(object);
  }

  /// Each server is asked and answers, but for those left out.
  void exchange(Duration at, const std::vector<int>& silent = {}) {
    for (int server = 1; server <= kServers; ++server) {
      call("c1", at, "sendmsg", connection(server), "100");
      if (std::ranges::count(silent, server) == 0) call("c1", at + 2ms, "recvmsg", connection(server), "60");
    }
  }

  /// Hands over what was called, step by step, as an engine does, until `until`.
  void run(Duration until) {
    for (Duration step = done_; step < until; step += kStep) {
      for (const std::string host : {"c1", "s1", "s2", "s3", "s4", "s5"}) {
        EventTable table(host, std::string(kSyscallKind));
        SyscallAppender appender(table);
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
          const Duration at = calls_[i].event.time - kStart;
          if (calls_[i].host == host && at >= step && at < step + kStep) order.push_back(i);
        }
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return calls_[i].event.time; });
        for (const std::size_t i : order) {
          calls_[i].event.object = objects_[i];
          ASSERT_TRUE(appender.append(calls_[i].event));
        }
        if (table.size() > 0) detector_.take(table);
      }
      detector_.complete(kStart + step + kStep);
      done_ = step + kStep;
    }
  }

  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> all;
    for (const Finding& finding : detector_.findings()) {
      all.push_back(finding.evidence.detector + " " + finding.part.name);
    }
    return all;
  }

  struct Call {
    std::string host;
    SyscallEvent event;
  };
  Grouping grouping_;
  SyscallDetector detector_;
  std::vector<Call> calls_;
  std::vector<std::string> objects_;
  Duration done_{};
};

constexpr std::string_view kNoSpace = "-1 ENOSPC (No space left on device)";

TEST_F(SemanticDiagnosis, AnErrorThatReachesAnApplicationAccusesTheServer) {
  call("s3", 10s, "pwrite64", "/data/f", kNoSpace);
  call("c1", 9990ms, "write", "/mnt/f", kNoSpace, 20ms);
  run(60s);
  ASSERT_THAT(detector_.findings(), SizeIs(1));
  const Finding finding = detector_.findings()[0];
  EXPECT_EQ(finding.part, (Part{PartKind::kServer, "s3"}));
  EXPECT_TRUE(finding.confirmed());
  EXPECT_EQ(finding.evidence.note,
            "pwrite64 on s3 failed with ENOSPC at 2027-01-15T08:00:10Z, and write on c1 returned it at "
            "2027-01-15T08:00:10.010Z");
}

TEST_F(SemanticDiagnosis, AnErrorThatDoesNotReachOneIsNothing) {
  call("s3", 10s, "pwrite64", "/data/f", kNoSpace);
  call("c1", 20s, "write", "/mnt/f", kNoSpace);
  call("c1", 10s, "write", "/mnt/g", "-1 EIO (Input/output error)");
  run(60s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, TheWindowIsOneAndAHalfSecondsEachWay) {
  call("s3", 10s, "pwrite64", "/data/f", kNoSpace);
  call("c1", 11499ms, "write", "/mnt/f", kNoSpace, 0ms);
  call("s2", 40s, "pwrite64", "/data/f", "-1 EIO (Input/output error)");
  call("c1", 41501ms, "write", "/mnt/f", "-1 EIO (Input/output error)", 0ms);
  run(90s);
  EXPECT_THAT(found(), ElementsAre("propagated-error s3"));
}

TEST_F(SemanticDiagnosis, AnApplicationThatWaitsForLongIsMatchedByAllOfItsCall) {
  call("s3", 18s, "fsync", "/data/f", "-1 EIO (Input/output error)");
  call("c1", 10s, "fsync", "/mnt/f", "-1 EIO (Input/output error)", 8s);
  run(60s);
  EXPECT_THAT(found(), ElementsAre("propagated-error s3"));
}

TEST_F(SemanticDiagnosis, WhatAnswersAQuestionIsNoError) {
  for (const char* answer :
       {"-1 ENOENT (No such file or directory)", "-1 EEXIST (File exists)",
        "-1 EAGAIN (Resource temporarily unavailable)", "-1 ENODATA (No data available)"}) {
    call("s3", 10s, "openat", "/data/f", answer);
    call("c1", 10s, "openat", "/mnt/f", answer);
  }
  run(60s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, WhatHalfOfTheOthersHaveTooIsNormal) {
  for (const int server : {1, 2, 4}) call(server_name(server), 1s * server, "fsetxattr", "/data/f", kNoSpace);
  call("s5", 5s, "pwrite64", "/data/f", "8");
  call("c1", 3s, "write", "/mnt/f", kNoSpace);
  run(60s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, WhatWasLearntToBeNormalIsNoError) {
  const std::vector<std::string> normal{"ENOTSUP", "ENOSPC"};
  DetectorSetup setup{grouping_, kStep};
  setup.normal_errors = normal;
  SyscallDetector detector(setup);
  call("s3", 10s, "pwrite64", "/data/f", kNoSpace);
  call("c1", 10s, "write", "/mnt/f", kNoSpace);
  run(60s);
  EXPECT_THAT(found(), ElementsAre("propagated-error s3"));
  for (const std::string host : {"s3", "c1"}) {
    EventTable table(host, std::string(kSyscallKind));
    ASSERT_TRUE(SyscallAppender(table).append(calls_[host == "s3" ? 0 : 1].event));
    detector.take(table);
  }
  detector.complete(kStart + 60s);
  EXPECT_THAT(detector.findings(), IsEmpty());
}

TEST_F(SemanticDiagnosis, ErrorsOfServersAreLearntAndNotThoseOfClients) {
  std::set<std::string> errors;
  const auto learn = [&](const std::string& host, std::string_view result) {
    EventTable table(host, std::string(kSyscallKind));
    SyscallEvent event;
    event.time = kStart;
    event.name = "fsetxattr";
    event.result = result;
    ASSERT_TRUE(SyscallAppender(table).append(event));
    add_normal_errors(table, grouping_.resolver, errors);
  };
  learn("s1", "-1 ENOTSUP (Operation not supported)");
  learn("s2", "-1 ENOENT (No such file or directory)");
  learn("s2", "-1 ECONNRESET (Connection reset by peer)");
  learn("s2", "0");
  learn("c1", kNoSpace);
  EXPECT_THAT(errors, ElementsAre("ENOTSUP"));
}

TEST_F(SemanticDiagnosis, ManyErrorsAreOneFindingThatEndsAMinuteAfterTheLast) {
  for (int i = 0; i < 100; ++i) {
    call("s3", i * 100ms, "openat", "/data/f", "-1 EMFILE (Too many open files)");
    call("c1", i * 100ms, "read", "/mnt/f", "-1 EMFILE (Too many open files)");
  }
  run(60s);
  ASSERT_THAT(detector_.findings(), SizeIs(1));
  EXPECT_TRUE(detector_.findings()[0].open);
  EXPECT_THAT(detector_.findings()[0].evidence.note, HasSubstr("; 100 calls of applications"));
  const auto lines = std::get<LinesPayload>(detector_.findings()[0].evidence.payloads[0].shape).lines;
  EXPECT_THAT(lines, SizeIs(2 * SyscallDetector::kMostShown));
  EXPECT_EQ(lines[0].text, "s3: openat of /data/f: EMFILE");
  EXPECT_EQ(lines[1].text, "c1: read of /mnt/f: EMFILE");
  EXPECT_TRUE(std::ranges::is_sorted(lines, {}, &LinesPayload::Line::time));
  run(150s);
  EXPECT_FALSE(detector_.findings()[0].open);
  detector_.forget(std::array<std::uint8_t, 1>{0});
  EXPECT_EQ(detector_.kept(), 0U);
}

TEST_F(SemanticDiagnosis, ACrashIsOfTheServerWhoseEndIsGone) {
  exchange(5s);
  call("c1", 10s, "recvmsg", connection(4), "0");
  call("c1", 11s, "write", "/mnt/f", "-1 ECONNREFUSED (Connection refused)");
  run(60s);
  ASSERT_THAT(found(), ElementsAre("crash s4"));
  EXPECT_EQ(detector_.findings()[0].evidence.note,
            "write on c1 failed with ECONNREFUSED at 2027-01-15T08:00:11.001Z; the connection to s4 is gone "
            "(recvmsg at 2027-01-15T08:00:10.001Z), those to the 4 other servers are there");
}

TEST_F(SemanticDiagnosis, ACrashIsFoundThoughTheServerIsBackInTheSameStep) {
  exchange(5s);
  call("c1", 10s, "writev", connection(4), "-1 EPIPE (Broken pipe)");
  call("c1", 11s, "write", "/mnt/f", "-1 ENOTCONN (Transport endpoint is not connected)");
  exchange(15s);
  run(30s);
  EXPECT_THAT(found(), ElementsAre("crash s4"));
}

TEST_F(SemanticDiagnosis, ACrashIsFoundWhereTheClientClosesWithoutReadingTheEnd) {
  exchange(5s);
  call("c1", 10s, "close", connection(4), "0");
  call("c1", 11s, "mkdir", "/mnt/d", "-1 ENOTCONN (Transport endpoint is not connected)");
  run(60s);
  EXPECT_THAT(found(), ElementsAre("crash s4"));
}

TEST_F(SemanticDiagnosis, OneOfSeveralConnectionsMayBeClosed) {
  call("c1", 4s, "recvmsg", "TCP:[10.0.1.1:5000->10.0.0.4:3335]", "60");
  exchange(5s);
  call("c1", 10s, "close", connection(4), "0");
  call("c1", 11s, "recvmsg", "TCP:[10.0.1.1:5000->10.0.0.4:3335]", "60");
  call("c1", 12s, "mkdir", "/mnt/d", "-1 ENOTCONN (Transport endpoint is not connected)");
  run(60s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, AClientThatLosesEverybodyAccusesNobody) {
  exchange(5s);
  for (int server = 1; server <= kServers; ++server) call("c1", 10s, "recvmsg", connection(server), "0");
  call("c1", 11s, "write", "/mnt/f", "-1 ECONNREFUSED (Connection refused)");
  run(60s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, AHangIsOfTheServerThatOwesAnAnswer) {
  exchange(5s);
  call("c1", 6s, "pwrite64", "/mnt/f", "8192", 50s);
  exchange(6s, {2});
  for (int i = 0; i < 50; ++i) call("c1", 7s + i * 1s, "recvmsg", connection(2), "-1 EAGAIN (Resource …)");
  run(90s);
  ASSERT_THAT(found(), ElementsAre("hang s2"));
  EXPECT_THAT(detector_.findings()[0].evidence.note,
              AllOf(HasSubstr("pwrite64 on c1 has not returned since 2027-01-15T08:00:06Z"),
                    HasSubstr("s2 has not answered the sendmsg of 2027-01-15T08:00:06.001Z")));
}

TEST_F(SemanticDiagnosis, AHangIsSaidWhileItLasts) {
  exchange(5s, {2});
  call("c1", 37s, "mkdir", "", "", 31s, SyscallEnd::kRunning);  // Its path is not known yet.
  run(30s);
  EXPECT_THAT(found(), IsEmpty());
  run(60s);
  EXPECT_THAT(found(), ElementsAre("hang s2"));
  call("c1", 68s, "mkdir", "", "", 62s, SyscallEnd::kRunning);
  call("c1", 100s, "epoll_wait", "", "0");
  run(120s);
  ASSERT_THAT(found(), ElementsAre("hang s2"));
  EXPECT_TRUE(detector_.findings()[0].open);
  EXPECT_THAT(detector_.findings()[0].evidence.note, testing::Not(HasSubstr("calls of applications")))
      << "one call";
  call("c1", 125s, "recvmsg", connection(2), "60");
  call("c1", 300s, "epoll_wait", "", "0");
  run(330s);
  EXPECT_FALSE(detector_.findings()[0].open) << "it has answered";
}

TEST_F(SemanticDiagnosis, WhatWasNeverSeenToReturnHangsIfTheClientWasRecordedOn) {
  exchange(5s, {2});
  call("c1", 6s, "fsync", "/mnt/f", "", std::nullopt, SyscallEnd::kUnfinished);
  run(60s);
  EXPECT_THAT(found(), IsEmpty()) << "the recording may have ended";
  call("c1", 70s, "epoll_wait", "anon_inode:[eventpoll]", "0");
  run(90s);
  EXPECT_THAT(found(), ElementsAre("hang s2"));
}

TEST_F(SemanticDiagnosis, ASlowServerThatAnswersIsNoHang) {
  exchange(5s);
  call("c1", 6s, "fsync", "/mnt/f", "0", 40s);
  for (int i = 0; i < 40; ++i) exchange(6s + i * 1s, i % 2 == 0 ? std::vector<int>{2} : std::vector<int>{});
  run(90s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, WhatWaitsByItsNatureDoesNotHang) {
  exchange(5s, {2});
  call("c1", 6s, "read", "pipe:[77]", "1", 50s);
  call("c1", 6s, "flock", "/mnt/f", "0", 50s);
  call("c1", 6s, "read", "/dev/fuse", "80", 50s);
  call("c1", 6s, "recvmsg", connection(1), "80", 50s);
  run(90s);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(SemanticDiagnosis, AnAnswerThatWasWaitedForSinceBeforeTheRequestIsOne) {
  exchange(1s);
  call("c1", 2s, "recvmsg", connection(2), "60", 8s);  // It blocks from before the request on.
  call("c1", 9s, "sendmsg", connection(2), "100");
  call("c1", 9s, "fsync", "/mnt/f", "0", 40s);
  call("c1", 50s, "recvmsg", connection(1), "60", 1ms);
  run(90s);
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
