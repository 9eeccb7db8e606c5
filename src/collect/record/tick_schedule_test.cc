#include "collect/record/tick_schedule.h"

#include <gtest/gtest.h>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

constexpr MonoTime mono(Duration d) { return MonoTime{d}; }
constexpr WallTime wall(Duration d) { return WallTime{d}; }

TEST(TickSchedule, TicksAreMultiplesOfTheIntervalOnTheWallClock) {
  TickSchedule schedule(1s);
  const TickSchedule::Tick first = schedule.next(wall(1700s + 300ms), mono(50s));
  EXPECT_EQ(first.deadline, mono(50s + 700ms));
  EXPECT_EQ(first.missed, 0U);
  schedule.begun(mono(50s + 700ms));
  EXPECT_EQ(schedule.next(wall(1701s + 1ms), mono(50s + 701ms)).deadline, mono(51s + 700ms));
}

TEST(TickSchedule, WorkAndLatenessDoNotAddUp) {
  TickSchedule schedule(1s);
  Duration now = 250ms;
  MonoTime last = schedule.next(wall(now), mono(now)).deadline;
  for (int i = 0; i < 10'000; ++i) {
    now = last.time_since_epoch() + std::chrono::microseconds(i % 400'000);
    schedule.begun(mono(now));
    const TickSchedule::Tick tick = schedule.next(wall(now + 1ms), mono(now + 1ms));
    EXPECT_EQ(tick.missed, 0U);
    ASSERT_EQ(tick.deadline - last, 1s);
    last = tick.deadline;
  }
}

TEST(TickSchedule, MissedTicksAreSkippedAndCounted) {
  TickSchedule schedule(1s);
  EXPECT_EQ(schedule.next(wall(9s + 500ms), mono(9s + 500ms)).deadline, mono(10s));
  schedule.begun(mono(10s));
  const TickSchedule::Tick tick = schedule.next(wall(13s + 200ms), mono(13s + 200ms));
  EXPECT_EQ(tick.deadline, mono(14s));
  EXPECT_EQ(tick.missed, 3U);
}

TEST(TickSchedule, ALateSampleIsNotFollowedByOneAtOnce) {
  TickSchedule schedule(1s);
  EXPECT_EQ(schedule.next(wall(9s), mono(9s)).deadline, mono(10s));
  schedule.begun(mono(10s + 900ms));
  const TickSchedule::Tick tick = schedule.next(wall(10s + 901ms), mono(10s + 901ms));
  EXPECT_EQ(tick.deadline, mono(12s)) << "the tick at 11 s would come 0.1 s after a reading";
  EXPECT_EQ(tick.missed, 1U);
}

TEST(TickSchedule, StepsOfTheWallClockMoveTheTicksButNeitherBunchNorDelayThem) {
  for (const Duration step : {Duration(-3600s), Duration(-300ms), Duration(-3ms), Duration(3ms),
                              Duration(400ms), Duration(3600s + 700ms)}) {
    TickSchedule schedule(1s);
    EXPECT_EQ(schedule.next(wall(9s), mono(9s)).deadline, mono(10s));
    schedule.begun(mono(10s));
    const WallTime stepped = wall(10s + 1ms + 5000s + step);
    const TickSchedule::Tick tick = schedule.next(stepped, mono(10s + 1ms));
    const Duration distance = tick.deadline - mono(10s);
    EXPECT_GE(distance, 500ms) << step.count();
    EXPECT_LE(distance, 1500ms) << step.count();
    EXPECT_EQ(tick.missed, 0U) << step.count();
    EXPECT_EQ((stepped + (tick.deadline - mono(10s + 1ms))).time_since_epoch() % Duration(1s), 0s);
  }
}

}  // namespace
}  // namespace laggard::collect
