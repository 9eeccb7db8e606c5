#include "cmd/counted_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "model/syscall_event.h"
#include "testing/syscalls.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using laggard::testing_support::add_call;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kStart = from_unix_ns(1'700'000'000'000'000'000);

/// What was written, in order: the kind of a table, and how many events it has.
class Written final : public ObservationSink {
 public:
  Status append(const EventTable& table) override {
    tables.push_back(table);
    said.push_back(table.kind() + " " + std::to_string(table.size()));
    if (is_full) return fail(ErrorCode::kNoSpace, "rec", "is full");
    return {};
  }
  Status append(const ProfileTable& table) override {
    said.push_back("profile " + table.kind());
    return {};
  }
  std::vector<EventTable> tables;
  std::vector<std::string> said;
  bool is_full = false;
};

EventTable calls(std::string_view result = "65536") {
  EventTable table("s1", std::string(kSyscallKind));
  table.set_bookmark("here");
  table.set_boot("b");
  for (int i = 0; i < 30; ++i) {
    add_call(table, {kStart + i * 100ms, 1ms, "pread64", "/data/brick/f", i == 5 ? result : "65536"});
  }
  return table;
}

TEST(CountedCalls, OfCallsThatSucceededCountsAreWritten) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {}});
  ASSERT_TRUE(sink.append(calls()));
  EXPECT_THAT(written.said,
              ElementsAre("storage-call-count 4", "message-count 2", "syscall-count 2", "syscall 1"));
  EXPECT_EQ(written.tables.back().words().text(written.tables.back().whats()[0]), "idle");
  EXPECT_EQ(written.tables.back().bookmark(), "here");
  EXPECT_EQ(written.tables.front().boot(), "b");
  EXPECT_THAT(sink.sentences(30), ElementsAre("30 counted, 0 kept"));
  ASSERT_TRUE(sink.finish());
  EXPECT_THAT(std::vector(written.said.begin() + 4, written.said.end()),
              ElementsAre("storage-call-count 2", "message-count 1", "syscall-count 1"));
}

TEST(CountedCalls, ThoseThatFailedAreWrittenThemselves) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {}});
  ASSERT_TRUE(sink.append(calls("-1 EIO (Input/output error)")));
  const EventTable& kept = written.tables.back();
  ASSERT_EQ(kept.size(), 1U);
  SyscallRows rows(kept);
  EXPECT_EQ(rows.at(0).result, "-1 EIO (Input/output error)");
  EXPECT_EQ(rows.at(0).object, "/data/brick/f");
  EXPECT_THAT(sink.sentences(30), ElementsAre("30 counted, 1 kept"));
}

TEST(CountedCalls, AllAreIfTheyAreToBe) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {}, .keeps_all = true});
  ASSERT_TRUE(sink.append(calls()));
  EXPECT_EQ(written.said.back(), "syscall 30");
  EXPECT_THAT(sink.sentences(30), ElementsAre("30 counted, 30 kept"));
}

TEST(CountedCalls, ThatNothingWasStorageIsSaid) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {.storage = {"/elsewhere/*"}}});
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(sink.append(calls()));
  ASSERT_TRUE(sink.finish());
  EXPECT_THAT(
      sink.sentences(1200),
      ElementsAre("1200 counted, 0 kept",
                  ::testing::StartsWith("none of 1200 reads and writes of files was of storage; --system")));
}

TEST(CountedCalls, LossesGoAlong) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {}});
  EventTable lost("s1", std::string(kSyscallKind));
  lost.add_loss({kStart, kStart, 7, "the ring was full"});
  ASSERT_TRUE(sink.append(lost));
  ASSERT_TRUE(sink.append(calls()));
  ASSERT_TRUE(sink.finish());
  std::vector<std::string> kinds;
  for (const EventTable& table : written.tables) {
    for (const Loss& loss : table.losses()) {
      EXPECT_EQ(loss.count, 7U);
      kinds.push_back(table.kind());
    }
  }
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("syscall", "syscall-count", "storage-call-count",
                                                     "message-count"));
}

TEST(CountedCalls, TheOthersOfTheLastMinutesAreWrittenWhenTheyAreWanted) {
  Written written;
  std::optional<WallTime> wanted = kStart;
  CountedCalls sink(written, {.host = "s1", .rules = {}, .wanted = [&] { return wanted; }});
  ASSERT_TRUE(sink.append(calls("-1 EIO (Input/output error)")));
  EXPECT_EQ(written.said.back(), "syscall 1") << "what was wanted before it began is not meant";
  ASSERT_TRUE(sink.append(calls()));
  wanted = kStart + 1s;
  ASSERT_TRUE(sink.append(calls()));
  const std::vector<std::string> last(written.said.end() - 3, written.said.end());
  EXPECT_THAT(last, ElementsAre("syscall-rest 29", "syscall-rest 30", "syscall-rest 30"));
  ASSERT_TRUE(sink.append(calls()));
  EXPECT_EQ(written.said.back(), "syscall 1") << "once";
}

TEST(CallRing, ForgetsWhatIsOldOrTooMuch) {
  const auto table = [](WallTime from, std::size_t size) {
    EventTable some("s1", "syscall-rest");
    for (std::size_t i = 0; i < size; ++i) add_call(some, {from, 1ms, "read", "/f", "1"});
    return some;
  };
  CallRing ring;
  ring.add(table(kStart, 1));
  ring.add(table(kStart + CallRing::kAge - 1s, 2));
  EXPECT_EQ(ring.take().size(), 2U);
  ring.add(table(kStart, 1));
  ring.add(table(kStart + CallRing::kAge + 1s, 2));
  std::vector<EventTable> left = ring.take();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].size(), 2U);
  EXPECT_THAT(ring.take(), IsEmpty());
  constexpr std::size_t kMany = 100'000;
  const std::size_t added = 2 * CallRing::kMostBytes / (kMany * 24);
  for (std::size_t i = 0; i < added; ++i) ring.add(table(kStart, kMany));
  EXPECT_LT(ring.take().size(), added);
}

TEST(CountedCalls, AFullDiskIsToldAndNothingIsLeftOut) {
  Written written;
  written.is_full = true;
  CountedCalls sink(written, {.host = "s1", .rules = {}});
  const Status done = sink.append(calls());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(written.said.size(), 4U);
}

TEST(CountedCalls, WhatIsNoSystemCallPasses) {
  Written written;
  CountedCalls sink(written, {.host = "s1", .rules = {}});
  ASSERT_TRUE(sink.append(EventTable("s1", "log")));
  ASSERT_TRUE(sink.append(ProfileTable("s1", "samples")));
  EXPECT_THAT(written.said, ElementsAre("log 0", "profile samples"));
}

}  // namespace
}  // namespace laggard::cmd
