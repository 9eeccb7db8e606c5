#include "collect/syscalls/syscall_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "model/syscall_event.h"
#include "testing/archive.h"
#include "wire/syscall_record.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What a tracer would do, as told by a test.
struct Ring {
  std::deque<std::vector<std::byte>> records;
  std::vector<std::uint64_t> lost;
  std::uint64_t live = 1;
  std::vector<std::uint32_t> added;
  int asked_what_is_open = 0;
  int asked_what_runs = 0;
  int stopped = 0;

  void add(std::uint16_t number, std::uint64_t begun_ns = 1000, std::uint8_t kind = wire::kCallRecord) {
    wire::CallRecord record{};
    record.head.bytes = sizeof record;
    record.head.kind = kind;
    record.head.number = number;
    record.start_ns = begun_ns;
    std::vector<std::byte> bytes(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
    records.push_back(std::move(bytes));
  }
};

class ToldTracer final : public SyscallTracer {
 public:
  explicit ToldTracer(Ring& ring) : ring_(ring) {}
  [[nodiscard]] int descriptor() const override { return 0; }
  void drain(const Take& take) override {
    while (!ring_.records.empty()) {
      const std::vector<std::byte> record = std::move(ring_.records.front());
      ring_.records.pop_front();
      if (!take(record)) return;
    }
  }
  [[nodiscard]] Status add(std::span<const std::uint32_t> processes) override {
    ring_.added.insert(ring_.added.end(), processes.begin(), processes.end());
    return {};
  }
  [[nodiscard]] Status tell_open() override {
    ++ring_.asked_what_is_open;
    return {};
  }
  [[nodiscard]] Status tell_running() override {
    ++ring_.asked_what_runs;
    return {};
  }
  void stop() override {
    ++ring_.stopped;
    ring_.add(231, 1000, wire::kUnfinishedRecord);
  }
  [[nodiscard]] std::uint64_t live() const override { return ring_.live; }
  [[nodiscard]] std::vector<std::uint64_t> lost() const override { return ring_.lost; }

 private:
  Ring& ring_;
};

class RecordingSyscalls : public testing::Test {
 protected:
  static constexpr std::size_t kMost = 1000;

  SyscallSource make(bool waits_for_more = false) {
    return SyscallSource(std::make_unique<ToldTracer>(ring_), std::nullopt, waits_for_more,
                         [this](const std::string& sentence) { said_.push_back(sentence); });
  }
  static ObservationBatch fresh() { return {"h", kSyscallKind}; }

  Ring ring_;
  SystemClock clock_;
  std::vector<std::string> said_;
};

TEST_F(RecordingSyscalls, ThatNothingHappenedIsMarkedEveryFewSeconds) {
  SyscallSource source = make();
  archive::testing::ManualClock clock;
  const auto ends = [&](Duration by) {
    clock.advance(by);
    ObservationBatch batch = fresh();
    EXPECT_TRUE(source.read(clock, batch, kMost));
    SyscallRows rows(batch.events);
    std::vector<std::pair<SyscallEnd, WallTime>> all;
    for (std::size_t e = 0; e < batch.events.size(); ++e)
      all.emplace_back(rows.at(e).end, batch.events.times()[e]);
    return all;
  };
  const WallTime begin = clock.wall();
  EXPECT_THAT(ends({}), testing::IsEmpty());
  EXPECT_THAT(ends(std::chrono::seconds(4)), testing::IsEmpty());
  EXPECT_THAT(ends(std::chrono::seconds(1)),
              ElementsAre(testing::Pair(SyscallEnd::kIdle, begin + std::chrono::seconds(5))));
  EXPECT_THAT(ends(std::chrono::seconds(3)), testing::IsEmpty());
  ring_.add(0);
  EXPECT_THAT(ends(std::chrono::seconds(3)), ElementsAre(testing::Pair(SyscallEnd::kReturned, testing::_)));
  EXPECT_THAT(ends(std::chrono::seconds(4)), testing::IsEmpty());
  EXPECT_THAT(ends(std::chrono::seconds(2)), testing::SizeIs(1));
}

TEST_F(RecordingSyscalls, GroupsAreLookedIntoEverySecond) {
  const archive::testing::TempDir root;
  const auto write = [&](const std::string& processes) {
    std::filesystem::create_directories(root.path() / "sys/fs/cgroup/a");
    std::ofstream(root.path() / "sys/fs/cgroup/cgroup.controllers") << "cpu";
    std::ofstream(root.path() / "sys/fs/cgroup/a/cgroup.procs") << processes;
  };
  write("5\n");
  SyscallSource source = make(true);
  source.follow(CgroupProcesses::find(root.path(), {"a"}).value());
  archive::testing::ManualClock clock;
  const auto look = [&](Duration by) {
    clock.advance(by);
    ObservationBatch batch = fresh();
    EXPECT_TRUE(source.read(clock, batch, kMost));
  };
  look({});
  EXPECT_THAT(ring_.added, ElementsAre(5));
  write("5\n7\n");
  look(std::chrono::milliseconds(900));
  EXPECT_THAT(ring_.added, ElementsAre(5));
  look(std::chrono::milliseconds(100));
  EXPECT_THAT(ring_.added, ElementsAre(5, 7));
  ring_.live = 0;
  EXPECT_FALSE(source.has_ended()) << "more may come";
}

TEST_F(RecordingSyscalls, TimesOfTheRingBecomeWallTimes) {
  SyscallSource source = make();
  const WallTime before = clock_.wall();
  ring_.add(39, static_cast<std::uint64_t>(clock_.mono().time_since_epoch().count()));
  ObservationBatch batch = fresh();
  ASSERT_TRUE(source.read(clock_, batch, kMost));
  ASSERT_EQ(batch.events.size(), 1U);
  const Duration late = batch.events.times()[0] - before;
  EXPECT_LT(std::chrono::abs(late), std::chrono::seconds(1));
  EXPECT_EQ(SyscallRows(batch.events).at(0).name, "getpid");
}

/// Each look at a clock takes as long as was told, as where something else has the processor.
class SlowClock final : public Clock {
 public:
  explicit SlowClock(std::deque<Duration> looks) : looks_(std::move(looks)) {}
  [[nodiscard]] WallTime wall() override { return WallTime{look().time_since_epoch() + wall_ahead}; }
  [[nodiscard]] MonoTime mono() override { return look(); }
  void sleep_until(MonoTime deadline) override { mono_ = deadline; }

  Duration wall_ahead{std::chrono::seconds(1'700'000'000)};

 private:
  MonoTime look() {
    Duration taken = std::chrono::nanoseconds(50);
    if (!looks_.empty()) {
      taken = looks_.front();
      looks_.pop_front();
    }
    mono_ += taken;
    return mono_;
  }

  std::deque<Duration> looks_;
  MonoTime mono_{std::chrono::seconds(1000)};
};

class ClockOfSyscalls : public RecordingSyscalls {
 protected:
  /// When a call that began at this time is said to have begun.
  WallTime said(SyscallSource& source, Clock& clock, std::uint64_t begun_ns) {
    ring_.add(39, begun_ns);
    ObservationBatch batch = fresh();
    EXPECT_TRUE(source.read(clock, batch, kMost));
    return batch.events.size() == 1 ? batch.events.times()[0] : WallTime{};
  }
};

TEST_F(ClockOfSyscalls, CallsKeepTheirOrderWhereReadingTheClocksIsInterrupted) {
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  const Duration quick = std::chrono::nanoseconds(50);
  for (const Duration held : {microseconds(3), microseconds(700), microseconds(5000)}) {
    // Between the two clocks, after them, and in every attempt.
    for (const auto& looks :
         {std::deque<Duration>{quick, held, quick}, {quick, quick, held}, std::deque<Duration>(24, held)}) {
      SyscallSource source = make();
      SlowClock slow(looks);
      SlowClock undisturbed({});
      const WallTime first = said(source, slow, 5000);
      EXPECT_LT(first, said(source, undisturbed, 6000));
      EXPECT_LT(said(source, slow, 7000), said(source, undisturbed, 8000));
    }
  }
}

TEST_F(ClockOfSyscalls, AStepOfTheWallClockIsFollowed) {
  SyscallSource source = make();
  SlowClock clock({});
  const WallTime before = said(source, clock, 5000);
  clock.wall_ahead += std::chrono::microseconds(300);
  EXPECT_EQ(said(source, clock, 5000), before) << "readings differ by that";
  clock.wall_ahead -= std::chrono::hours(1);
  EXPECT_LT(std::chrono::abs(before - std::chrono::hours(1) - said(source, clock, 5000)),
            std::chrono::milliseconds(1));
}

TEST_F(RecordingSyscalls, ABatchHoldsNoMoreThanItMayAndTheRestComesLater) {
  SyscallSource source = make();
  for (int i = 0; i < 25; ++i) ring_.add(39);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 4; ++i) {
    ObservationBatch batch = fresh();
    ASSERT_TRUE(source.read(clock_, batch, 10));
    sizes.push_back(batch.events.size());
  }
  EXPECT_THAT(sizes, ElementsAre(10, 10, 5, 0));
}

TEST_F(RecordingSyscalls, LossesAreArchivedAndTold) {
  SyscallSource source = make();
  ObservationBatch batch = fresh();
  ASSERT_TRUE(source.read(clock_, batch, kMost));
  EXPECT_TRUE(batch.events.losses().empty());
  ring_.lost = {0, 3, 4};
  ASSERT_TRUE(source.read(clock_, batch, kMost));
  ASSERT_TRUE(source.read(clock_, batch, kMost));
  ASSERT_EQ(batch.events.losses().size(), 1U);
  EXPECT_EQ(batch.events.losses()[0].count, 7U);
  EXPECT_EQ(ring_.asked_what_is_open, 1) << "what was lost may have told of descriptors";
  source.finish(clock_, batch);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_[0],
            "1 calls, signals and ends of threads; 7 records lost, 3 on processor 1, 4 on processor 2");
}

TEST_F(RecordingSyscalls, ThatNothingWasLostIsToldToo) {
  SyscallSource source = make();
  ObservationBatch batch = fresh();
  source.finish(clock_, batch);
  EXPECT_EQ(ring_.stopped, 1);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("0 records lost")));
  ASSERT_EQ(batch.events.size(), 1U) << "what was under way";
  EXPECT_EQ(SyscallRows(batch.events).at(0).end, SyscallEnd::kUnfinished);
}

TEST_F(RecordingSyscalls, ItEndsWithTheLastThreadUnlessMoreMayCome) {
  SyscallSource source = make();
  SyscallSource patient = make(true);
  EXPECT_FALSE(source.has_ended());
  ring_.live = 0;
  EXPECT_TRUE(source.has_ended());
  EXPECT_FALSE(patient.has_ended());
}

TEST_F(RecordingSyscalls, WhatTheEndLeavesIsTakenInSeveralBatches) {
  SyscallSource source = make();
  constexpr std::size_t kCalls = 40'000;
  for (std::size_t i = 0; i < kCalls; ++i) ring_.add(39);
  std::size_t taken = 0;
  bool is_full = true;
  for (int i = 0; i < 10 && is_full; ++i) {
    ObservationBatch batch = fresh();
    source.finish(clock_, batch);
    taken += batch.events.size();
    is_full = batch.is_full;
  }
  EXPECT_EQ(taken, kCalls + 1);
  EXPECT_EQ(said_.size(), 1U);
  EXPECT_EQ(ring_.stopped, 1);
}

TEST_F(RecordingSyscalls, WhatIsUnderWayIsAskedEveryFiveSeconds) {
  SyscallSource source = make();
  SlowClock clock({});
  ObservationBatch batch = fresh();
  for (int second = 0; second < 11; ++second) {
    ASSERT_TRUE(source.read(clock, batch, kMost));
    clock.sleep_until(clock.mono() + std::chrono::seconds(1));
  }
  EXPECT_EQ(ring_.asked_what_runs, 2);
}

TEST_F(RecordingSyscalls, IoUringIsWarnedOfOnce) {
  SyscallSource source = make();
  ObservationBatch batch = fresh();
  for (int i = 0; i < 2; ++i) {
    ring_.add(426);
    ASSERT_TRUE(source.read(clock_, batch, kMost));
  }
  EXPECT_THAT(said_, ElementsAre(HasSubstr("io_uring")));
}

TEST(SyscallOptions, MistakesAreNamed) {
  const auto refusal = [](std::map<std::string, std::vector<std::string>, std::less<>> options) {
    options.emplace("ring", std::vector<std::string>{"16M"});
    const auto opened = SyscallSource::open({.options = std::move(options)});
    return opened ? std::string("opened") : opened.error().message();
  };
  EXPECT_THAT(refusal({}), HasSubstr("say whose calls: --pid N, --comm NAME, --cgroup PATH or a command"));
  EXPECT_THAT(refusal({{"cgroup", {"no/such/group"}}}), HasSubstr("there is no control group no/such/group"));
  EXPECT_THAT(refusal({{"comm", {"x"}}, {"ring", {"1M"}}, {"tracer", {"magic"}}}),
              HasSubstr("--tracer: 'magic' is none of auto, bpf, ptrace"));
  EXPECT_THAT(refusal({{"pid", {"x"}}}), HasSubstr("'x' is no number of a process"));
  EXPECT_THAT(refusal({{"pid", {"0"}}}), HasSubstr("'0' is no number of a process"));
  EXPECT_THAT(refusal({{"pid", {"4194305"}}}), HasSubstr("there is no process 4194305"));
  EXPECT_THAT(refusal({{"comm", {"x"}}, {"ring", {"17M"}}}), HasSubstr("'17M' is no power of two"));
  EXPECT_THAT(refusal({{"comm", std::vector<std::string>(17, "x")}}), HasSubstr("more than 16 names"));
}

}  // namespace
}  // namespace laggard::collect
