#include "collect/record/recorder.h"

#include <gtest/gtest.h>

#include <atomic>

#include "collect/procfs/disk_sampler.h"
#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

/// Records one device whose counter is the number of the reading; can be told to be slow.
class CountingSampler final : public Sampler {
 public:
  void sample(Clock& clock) override {
    batch_.begin_row(clock.wall());
    if (!batch_.has(slot_)) slot_ = batch_.add("eth0");
    batch_.cells(slot_)[0] = ++readings;
    batch_.set_present(slot_, 1);
    if (meanwhile) meanwhile(readings);
  }
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override { return {}; }
  [[nodiscard]] std::size_t devices() const override { return 1; }

  std::uint64_t readings = 0;
  std::function<void(std::uint64_t)> meanwhile;

 private:
  Batch batch_{"fs1", DeviceKind::kNet, {{"rx_bytes", CounterForm::kCumulative}}};
  Slot slot_;
};

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override { clock_.set_wall(WallTime{1'700'000'000s + 400ms}); }

  RecordProgress record(RecorderOptions options, std::function<void(std::uint64_t)> meanwhile = {}) {
    auto sampler = std::make_unique<CountingSampler>();
    sampler->meanwhile = std::move(meanwhile);
    std::vector<std::unique_ptr<Sampler>> samplers;
    samplers.push_back(std::move(sampler));
    Outbox outbox(sink_, {});
    Recorder recorder(std::move(options), clock_, outbox, std::move(samplers));
    const Status done = recorder.run([this] { return stop_; }, [](const RecordProgress&) {});
    EXPECT_TRUE(done) << done.error().message();
    return recorder.progress();
  }

  std::vector<WallTime> times() const {
    std::vector<WallTime> all;
    for (const SampleTable& table : sink_.tables) {
      all.insert(all.end(), table.times().begin(), table.times().end());
    }
    return all;
  }

  FakeClock clock_;
  ListSink sink_;
  bool stop_ = false;
};

WallTime at(Duration after) { return WallTime{1'700'000'000s + after}; }

TEST_F(RecorderTest, SamplesAtWholeSeconds) {
  const RecordProgress progress = record({1s, 60s, 10s, "b", 1 << 20});
  const std::vector<WallTime> all = times();
  ASSERT_EQ(all.size(), 60U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], at(std::chrono::seconds(i + 1)));
  EXPECT_EQ(progress.samples, 60U);
  EXPECT_EQ(progress.gaps, 0U);
  EXPECT_GE(sink_.tables.size(), 6U);
  for (const SampleTable& table : sink_.tables) {
    EXPECT_LE(table.times().size(), 10U) << "no more than the flush interval can be lost";
    EXPECT_EQ(table.boot(), "b");
  }
}

TEST_F(RecorderTest, WhatIsWatchedIsFlushedSooner) {
  RecorderOptions options{1s, 60s, 10s, "b", 1 << 20};
  options.is_watched = [this] { return clock_.wall() >= at(30s); };
  record(options);
  for (const SampleTable& table : sink_.tables) {
    const bool watched = table.times().front() > at(30s);
    EXPECT_LE(table.times().size(), watched ? 2U : 10U) << to_iso8601(table.times().front());
  }
  EXPECT_GE(sink_.tables.size(), 3U + 15U);
  EXPECT_LE(sink_.tables.size(), 3U + 16U);
}

TEST_F(RecorderTest, TenthsOfASecond) {
  EXPECT_EQ(record({100ms, 10s, 10s, "", 1 << 20}).samples, 100U);
  EXPECT_EQ(times()[1] - times()[0], 100ms);
}

TEST_F(RecorderTest, ALateSampleHasItsTrueTimeAndTheNextIsOnTime) {
  clock_.lateness = {0s, 0s, 130ms, 0s};
  const RecordProgress progress = record({1s, 5s, 10s, "", 1 << 20});
  EXPECT_EQ(times(), (std::vector{at(1s), at(2s), at(3s + 130ms), at(4s), at(5s)}));
  EXPECT_EQ(progress.gaps, 0U);
}

TEST_F(RecorderTest, MissedTicksAreAGapAndNeverBunched) {
  clock_.lateness = {0s, 3s + 200ms};
  const RecordProgress progress = record({1s, 8s, 10s, "", 1 << 20});
  EXPECT_EQ(times(), (std::vector{at(1s), at(5s + 200ms), at(6s), at(7s), at(8s)}));
  EXPECT_EQ(progress.gaps, 1U);
  EXPECT_EQ(progress.missed_ticks, 3U);
}

TEST_F(RecorderTest, TicksMissedBeforeTheEndAreCounted) {
  clock_.lateness = {0s, 0s, 5s};
  const RecordProgress progress = record({1s, 5s, 10s, "", 1 << 20});
  EXPECT_EQ(times(), (std::vector{at(1s), at(2s), at(8s)}));
  EXPECT_EQ(progress.gaps, 1U);
  EXPECT_EQ(progress.missed_ticks, 2U) << "those of 4 and 5 s";
}

TEST_F(RecorderTest, AnEarlyWakeUpIsNoTick) {
  clock_.lateness = {-300ms, 0s};
  record({1s, 3s, 10s, "", 1 << 20});
  EXPECT_EQ(times()[0], at(1s));
}

TEST_F(RecorderTest, AClockThatIsSteppedKeepsItsTrueTimesAndTheRhythm) {
  const RecordProgress progress = record({1s, 10s, 10s, "", 1 << 20, "fs1"}, [this](std::uint64_t reading) {
    if (reading == 3) clock_.step_wall(-3600s + 300ms);
    if (reading == 6) clock_.step_wall(7200s);
  });
  EXPECT_EQ(times(), (std::vector{at(1s), at(2s), at(3s), at(-3596s), at(-3595s), at(-3594s), at(3607s),
                                  at(3608s), at(3609s), at(3610s)}));
  EXPECT_EQ(progress.clock_steps, 2U);
  EXPECT_EQ(progress.gaps, 0U);
  ASSERT_EQ(sink_.gaps.size(), 2U) << "the recording says so too";
  EXPECT_EQ(sink_.gaps[0].reason, "clock stepped by -3600 s");
  EXPECT_EQ(sink_.gaps[0].host, "fs1");
  EXPECT_EQ(sink_.gaps[0].from, at(3s));
  EXPECT_EQ(sink_.gaps[0].to, at(-3596s));
  EXPECT_EQ(sink_.gaps[1].reason, "clock stepped by +7200 s");
}

TEST_F(RecorderTest, ASuspendedMachineIsCalledSo) {
  const RecordProgress progress = record({1s, 10s, 10s, "", 1 << 20, "fs1"}, [this](std::uint64_t reading) {
    if (reading == 3) clock_.suspend(8h);
  });
  EXPECT_EQ(progress.samples, 10U);
  EXPECT_EQ(progress.clock_steps, 0U);
  EXPECT_EQ(progress.suspensions, 1U);
  ASSERT_EQ(sink_.gaps.size(), 1U);
  EXPECT_EQ(sink_.gaps[0].reason, "suspended");
  EXPECT_EQ(sink_.gaps[0].from, at(3s));
  EXPECT_EQ(sink_.gaps[0].to, at(8h + 4s));
}

TEST_F(RecorderTest, ARecorderThatIsHeldUpSaysSo) {
  clock_.lateness = {0s, 0s, 6s};
  record({1s, 20s, 10s, "", 1 << 20, "fs1"});
  ASSERT_EQ(sink_.gaps.size(), 1U);
  EXPECT_EQ(sink_.gaps[0].reason, "recorder held up");
}

TEST_F(RecorderTest, ADurationThatEndsAtMidnightTakesItsLastSample) {
  clock_.set_wall(*parse_time("2011-05-08T23:59:50Z"));
  EXPECT_EQ(record({1s, 10s, 10s, "", 1 << 20, "fs1"}).samples, 10U);
  EXPECT_EQ(times().back(), *parse_time("2011-05-09T00:00:00Z"));
}

TEST_F(RecorderTest, StopFlushesWhatIsThere) {
  const RecordProgress progress =
      record({1s, {}, 10s, "", 1 << 20}, [this](std::uint64_t reading) { stop_ = reading == 7; });
  EXPECT_EQ(progress.samples, 7U);
  EXPECT_EQ(times().size(), 7U);
}

TEST_F(RecorderTest, LargeBatchesAreFlushedEarly) {
  record({1s, 30s, 1h, "", 5});
  EXPECT_EQ(times().size(), 30U);
  EXPECT_EQ(sink_.tables.size(), 6U);
}

TEST_F(RecorderTest, AFullDiskIsOutlived) {
  std::atomic<bool> full{true};
  sink_.refuse = [&]() -> Status {
    if (full) return fail(ErrorCode::kNoSpace, "rec", "the disk is full");
    return {};
  };
  const RecordProgress progress = record({1s, 60s, 10s, "", 1 << 20}, [&](std::uint64_t reading) {
    if (reading == 40) full = false;
  });
  EXPECT_EQ(progress.samples, 60U);
  EXPECT_FALSE(progress.outbox.refusal);
  EXPECT_EQ(times().back(), at(60s));
}

TEST_F(RecorderTest, ADamagedArchiveEndsTheRecording) {
  sink_.refuse = [&] { return fail(ErrorCode::kDamaged, "rec", "is damaged"); };
  std::vector<std::unique_ptr<Sampler>> samplers;
  samplers.push_back(std::make_unique<CountingSampler>());
  Outbox outbox(sink_, {});
  Recorder recorder({1s, {}, 10s, "", 1 << 20}, clock_, outbox, std::move(samplers));
  const Status done = recorder.run([] { return false; }, [](const RecordProgress&) {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kDamaged);
}

TEST_F(RecorderTest, ARebootShowsInTheBootOfTheTables) {
  FakeRoot root;
  root.write("sys/block/sda/size", "8\n");
  Notices notices([](const std::string&) {});
  for (const char* boot : {"first", "second"}) {
    root.write("proc/diskstats", boot == std::string("first") ? "8 0 sda 9 9 9 9 9 9 9 9 9 9 9\n"
                                                              : "8 0 sda 1 1 1 1 1 1 1 1 1 1 1\n");
    std::vector<std::unique_ptr<Sampler>> samplers;
    samplers.push_back(*DiskSampler::open(root.path(), "fs1", {}, notices));
    Outbox outbox(sink_, {});
    Recorder recorder({1s, 2s, 10s, boot, 1 << 20}, clock_, outbox, std::move(samplers));
    ASSERT_TRUE(recorder.run([] { return false; }, [](const RecordProgress&) {}));
  }
  ASSERT_EQ(sink_.tables.size(), 2U);
  EXPECT_EQ(sink_.tables[0].boot(), "first");
  EXPECT_EQ(sink_.tables[1].boot(), "second");
  EXPECT_EQ(sink_.tables[1].integer(0, 0, 0), 1U);
}

}  // namespace
}  // namespace laggard::collect
