#include "collect/record/clocks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing/fake_machine.h"

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

using namespace std::chrono_literals;

TEST(ClockWatch, TellsStepsSuspensionsAndPassingTimeApart) {
  FakeClock clock;
  ClockWatch watch(1s);
  EXPECT_FALSE(watch.look(clock)) << "there is nothing to compare with yet";
  clock.advance(10h);
  EXPECT_FALSE(watch.look(clock));
  clock.advance(1s);
  clock.step_wall(-3600s);
  auto change = watch.look(clock);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->step, -3600s);
  EXPECT_EQ(change->suspended, 0s);
  EXPECT_EQ(change->after - change->before, -3599s);
  clock.advance(1s);
  clock.suspend(7200s);
  change = watch.look(clock);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->step, 0s);
  EXPECT_EQ(change->suspended, 7200s);
  clock.suspend(60s);
  clock.step_wall(2s);
  change = watch.look(clock);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->step, 2s);
  EXPECT_EQ(change->suspended, 60s);
  EXPECT_FALSE(watch.look(clock));
}

TEST(ClockWatch, SlewingIsNoStep) {
  FakeClock clock;
  for (const Duration interval : {Duration(100ms), Duration(1s), Duration(24h)}) {
    ClockWatch watch(interval);
    for (int i = 0; i < 100; ++i) {
      EXPECT_FALSE(watch.look(clock));
      clock.advance(interval);
      clock.step_wall(interval / 2000);  // 500 ppm, the most that the kernel does.
    }
  }
}

TEST(ClockWatch, AStepOfASecondIsSeenAtEveryInterval) {
  FakeClock clock;
  for (const Duration interval : {Duration(100ms), Duration(1s), Duration(10min)}) {
    for (const Duration step : {Duration(1200ms), Duration(-1200ms)}) {
      ClockWatch watch(interval);
      EXPECT_FALSE(watch.look(clock));
      clock.advance(interval);
      clock.step_wall(step);
      const auto change = watch.look(clock);
      ASSERT_TRUE(change) << interval.count();
      EXPECT_EQ(change->step, step);
    }
  }
}

/// A clock whose process is descheduled for a while after each of its first readings.
class HeldUpClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return WallTime{1'700'000'000s + now(true)}; }
  [[nodiscard]] MonoTime mono() override { return MonoTime{now(true)}; }
  void sleep_until(MonoTime) override {}
  int held_up = 0;

 private:
  Duration now(bool look) {
    if (look && held_up > 0) {
      --held_up;
      now_ += 700ms;
    }
    return now_;
  }
  Duration now_{1000s};
};

TEST(ClockWatch, WhoIsHeldUpBetweenTwoLooksSeesNoStep) {
  HeldUpClock clock;
  ClockWatch watch(1s);
  EXPECT_FALSE(watch.look(clock));
  for (int held_up = 0; held_up < 12; ++held_up) {
    clock.held_up = held_up;
    EXPECT_FALSE(watch.look(clock)) << held_up;
    clock.held_up = 0;
    EXPECT_FALSE(watch.look(clock)) << held_up;
  }
}

TEST(ClockWatch, WordsOfSteps) {
  EXPECT_EQ(step_reason(3600s), "clock stepped by +3600 s");
  EXPECT_EQ(step_reason(-3600s - 200ms), "clock stepped by -3600 s");
  EXPECT_EQ(step_reason(-1s), "clock stepped by -1 s");
  EXPECT_EQ(step_reason(630ms), "clock stepped by +0.63 s");
  EXPECT_EQ(step_reason(24h * 3650), "clock stepped by +315360000 s");
}

TEST(ClockWatch, TheMachinesOwnClocksStandStill) {
  SystemClock clock;
  ClockWatch watch(1s);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(watch.look(clock));
}

using namespace std::chrono_literals;

/// Runs `what` in a child process, because the signal mask stays with the process.
int in_child(int (*what)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(SignalClock, SleepsUntilTheDeadline) {
  EXPECT_EQ(in_child([] {
              auto clock = SignalClock::make();
              const MonoTime deadline = clock->mono() + 20ms;
              while (clock->mono() < deadline) clock->sleep_until(deadline);
              return clock->stopped() ? 1 : 0;
            }),
            0);
}

TEST(SignalClock, ASignalThatCameBeforeTheSleepEndsIt) {
  EXPECT_EQ(in_child([] {
              auto clock = SignalClock::make();
              ::kill(::getpid(), SIGTERM);
              clock->sleep_until(clock->mono() + 1h);
              return clock->stopped() ? 0 : 1;
            }),
            0);
}

TEST(SignalClock, AHangupThatIsIgnoredIsIgnored) {
  EXPECT_EQ(in_child([] {
              ::signal(SIGHUP, SIG_IGN);
              auto clock = SignalClock::make();
              ::kill(::getpid(), SIGHUP);
              clock->sleep_until(clock->mono() + 20ms);
              return clock->stopped() ? 1 : 0;
            }),
            0);
}

}  // namespace
}  // namespace laggard::collect
