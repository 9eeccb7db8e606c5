#include "collect/record/clock_watch.h"

#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

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

/// Is not run for a while after each of its first looks.
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

}  // namespace
}  // namespace laggard::collect
