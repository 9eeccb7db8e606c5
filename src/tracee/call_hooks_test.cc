#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "tracee/call_region.h"

extern "C" {
void __cyg_profile_func_enter(void* function, void* caller);
void __cyg_profile_func_exit(void* function, void* caller);
}

namespace laggard::tracee {
namespace {

using testing::Contains;
using testing::Pair;
using wire::CallTable;
using wire::CallThread;

/// A function as compilers instrument it; which one is the test's choice.
template <typename Body>
[[gnu::noinline]] void in_function(std::uint64_t function, Body body) {
  void* at = reinterpret_cast<void*>(function);  // NOLINT(performance-no-int-to-ptr): never looked at.
  __cyg_profile_func_enter(at, nullptr);
  body();
  __cyg_profile_func_exit(at, nullptr);
}

void enter(std::uint64_t function) {
  __cyg_profile_func_enter(reinterpret_cast<void*>(function), nullptr);  // NOLINT(performance-no-int-to-ptr)
}
void leave(std::uint64_t function) {
  __cyg_profile_func_exit(reinterpret_cast<void*>(function), nullptr);  // NOLINT(performance-no-int-to-ptr)
}

void spend(std::uint64_t ticks) {
  const std::uint64_t begin = wire::read_clock(call_table->clock);
  while (wire::read_clock(call_table->clock) - begin < ticks) continue;
}

class CountedCalls : public testing::Test {
 protected:
  static constexpr std::uint64_t kF = 0x1000;
  static constexpr std::uint64_t kG = 0x2000;
  static constexpr std::uint64_t kH = 0x3000;
  static constexpr std::uint64_t kLong = 2'000'000;  // Ticks, so many that a machine's hiccups do not matter.

  void SetUp() override {
    ASSERT_GT(call_table->threads, 0U) << "there is a table";
    call_table->generation.fetch_add(1);
    call_table->until = CallTable::kAlways;
    before_ = read();
  }
  void TearDown() override { call_table->until = 0; }

  struct Count {
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
  };
  static std::map<std::uint64_t, Count> read() {
    std::map<std::uint64_t, Count> counts;
    const auto* places = reinterpret_cast<const CallThread*>(call_table + 1);
    for (std::uint32_t i = 0; i < call_table->threads_used; ++i) {
      for (const wire::CallEntry& entry : places[i].entries) {
        counts[entry.function].calls += entry.calls;
        counts[entry.function].ticks += entry.ticks;
      }
    }
    return counts;
  }
  static CallThread* own_place() {
    auto* places = reinterpret_cast<CallThread*>(call_table + 1);
    for (std::uint32_t i = 0; i < call_table->threads_used; ++i) {
      if (places[i].taken != 0) return &places[i];
    }
    return nullptr;
  }
  /// What the thread has learned of a function: that not each call of it need be timed.
  static bool is_learned(std::uint64_t function) {
    for (const wire::CallEntry& entry : own_place()->entries) {
      if (entry.function == function) return entry.quick_calls == wire::CallEntry::kLearned;
    }
    return false;
  }
  /// Whether the clock can tell what is quick.
  static bool tells_what_is_quick() {
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t begin = wire::read_clock(call_table->clock);
      least = std::min(least, wire::read_clock(call_table->clock) - begin);
    }
    return 2 * least < call_table->quick;
  }
  /// Has it learned that a function is quick and calls nothing.
  static void teach(std::uint64_t function) {
    for (int i = 0; i < 10'000 && (own_place() == nullptr || !is_learned(function)); ++i) {
      in_function(function, [] {});
    }
    ASSERT_TRUE(is_learned(function));
  }
  [[nodiscard]] std::uint64_t calls(std::uint64_t function) const {
    const auto known = before_.find(function);
    return read()[function].calls - (known == before_.end() ? 0 : known->second.calls);
  }
  [[nodiscard]] std::uint64_t spent(std::uint64_t function) const {
    const auto known = before_.find(function);
    return read()[function].ticks - (known == before_.end() ? 0 : known->second.ticks);
  }

 private:
  std::map<std::uint64_t, Count> before_;
};

TEST_F(CountedCalls, TimeIsOfTheFunctionItselfAndNotOfWhatItCalls) {
  const std::uint64_t begin = wire::read_clock(call_table->clock);
  in_function(kF, [] {
    spend(kLong);
    in_function(kG, [] { spend(4 * kLong); });
    in_function(kG, [] {});
    spend(kLong);
  });
  const std::uint64_t took = wire::read_clock(call_table->clock) - begin;
  EXPECT_EQ(calls(kF), 1U);
  EXPECT_EQ(calls(kG), 2U);
  EXPECT_GE(spent(kF), 2 * kLong);
  EXPECT_GE(spent(kG), 4 * kLong);
  EXPECT_LE(spent(kF) + spent(kG), took) << "else the caller has the time of what it calls, too";
}

TEST_F(CountedCalls, WhatCallsItselfHasItsTimeOnce) {
  const std::uint64_t begin = wire::read_clock(call_table->clock);
  in_function(kF, [] { in_function(kF, [] { in_function(kF, [] { spend(kLong); }); }); });
  const std::uint64_t took = wire::read_clock(call_table->clock) - begin;
  EXPECT_EQ(calls(kF), 3U);
  EXPECT_GE(spent(kF), kLong);
  EXPECT_LE(spent(kF), took);
}

TEST_F(CountedCalls, SwitchedOffNothingIsCounted) {
  call_table->until = 0;
  in_function(kF, [] {});
  EXPECT_EQ(calls(kF), 0U);
}

TEST_F(CountedCalls, AfterItsTimeCountingIsSwitchedOff) {
  call_table->until = wire::read_clock(call_table->clock) - 1;
  in_function(kF, [] {});
  EXPECT_EQ(calls(kF), 0U);
  EXPECT_EQ(call_table->until, 0U);
}

TEST_F(CountedCalls, FunctionsThatWereBegunBeforeItWasSwitchedOnDoNoHarm) {
  call_table->until = 0;
  enter(kF);
  call_table->generation.fetch_add(1);
  call_table->until = CallTable::kAlways;
  in_function(kG, [] {});
  leave(kF);
  in_function(kH, [] {});
  EXPECT_EQ(calls(kF), 0U);
  EXPECT_EQ(calls(kG), 1U);
  EXPECT_EQ(calls(kH), 1U);
  EXPECT_EQ(own_place()->depth, 0U);
}

TEST_F(CountedCalls, AStackFromBeforeItWasSwitchedOffIsForgotten) {
  enter(kF);
  call_table->until = 0;
  leave(kF);
  call_table->generation.fetch_add(1);
  call_table->until = CallTable::kAlways;
  spend(kLong);
  in_function(kG, [] {});
  EXPECT_EQ(own_place()->depth, 0U);
  EXPECT_LT(spent(kF), kLong);
}

[[gnu::noinline]] void leap(std::jmp_buf& to) {
  in_function(0x2000, [&] { in_function(0x2000, [&] { std::longjmp(to, 1); }); });
}

TEST_F(CountedCalls, WhatLongjmpLeavesHasNoTimeAfterwards) {
  std::jmp_buf back;
  in_function(kF, [&] {
    if (setjmp(back) == 0) leap(back);
    in_function(kH, [] {});  // From here on it is known.
    spend(4 * kLong);
  });
  EXPECT_EQ(calls(kG), 2U);
  EXPECT_GE(spent(kF), 4 * kLong);
  EXPECT_LT(spent(kG), 4 * kLong);
  EXPECT_EQ(own_place()->depth, 0U);
}

TEST_F(CountedCalls, WhatLongjmpLeavesAgainAndAgainFillsNoStack) {
  std::jmp_buf back;
  volatile int times = 0;
  setjmp(back);
  if (times < 10'000) {
    times = times + 1;
    leap(back);
  }
  in_function(kF, [] {});
  EXPECT_EQ(calls(kG), 20'000U);
  EXPECT_LE(own_place()->depth, 2U);
  EXPECT_EQ(own_place()->forgotten, 0U);
}

TEST_F(CountedCalls, WhatIsQuickAndCallsNothingIsCountedAlwaysAndTimedNowAndThen) {
  constexpr std::uint64_t kCalls = 200'000;
  constexpr std::uint64_t kBody = 100;  // Ticks, and some for the clock.
  if (!tells_what_is_quick()) GTEST_SKIP() << "the clock takes longer than what is quick";
  teach(kG);
  const std::uint64_t learned = spent(kG);
  const std::uint64_t begin = wire::read_clock(call_table->clock);
  in_function(kF, [] {
    for (std::uint64_t i = 0; i < kCalls; ++i) in_function(kG, [] { spend(kBody); });
  });
  const std::uint64_t took = wire::read_clock(call_table->clock) - begin;
  EXPECT_EQ(calls(kF), 1U);
  EXPECT_GE(calls(kG), kCalls);
  EXPECT_GE(spent(kG) - learned, kCalls * kBody * 9 / 10);
  EXPECT_LE(spent(kF) + spent(kG) - learned, took + took / 20) << "no time is counted twice";
  EXPECT_GE(spent(kF) + spent(kG) - learned, took - took / 20) << "and none is lost";
}

TEST_F(CountedCalls, WhatWaitsForOnceIsTimedEachTimeFromThenOn) {
  if (!tells_what_is_quick()) GTEST_SKIP() << "the clock takes longer than what is quick";
  teach(kG);
  constexpr int kUntimed = 7;
  constexpr int kTimes = 20;
  const std::uint64_t learned = spent(kG);
  const std::uint64_t begin = wire::read_clock(call_table->clock);
  in_function(kF, [] {
    for (int i = 0; i < kUntimed + kTimes; ++i) in_function(kG, [] { spend(kLong); });
  });
  const std::uint64_t took = wire::read_clock(call_table->clock) - begin;
  EXPECT_FALSE(is_learned(kG));
  EXPECT_GE(spent(kG) - learned, kTimes * kLong);
  EXPECT_GE(spent(kF) + spent(kG) - learned, (kUntimed + kTimes) * kLong)
      << "the caller has the others' time";
  EXPECT_LE(spent(kF) + spent(kG) - learned, took);
}

TEST_F(CountedCalls, WhatCallsSomethingForOnceIsTimedFromThenOn) {
  if (!tells_what_is_quick()) GTEST_SKIP() << "the clock takes longer than what is quick";
  teach(kG);
  in_function(kF, [] {
    spend(kLong);
    in_function(kG, [] {});  // From here on it is not timed.
    in_function(kG, [] { in_function(kH, [] { spend(4 * kLong); }); });
  });
  EXPECT_FALSE(is_learned(kG));
  EXPECT_GE(spent(kH), 4 * kLong);
  EXPECT_GE(spent(kF), kLong) << "what the caller did is its own";
  EXPECT_LT(spent(kG), kLong);
  EXPECT_EQ(own_place()->depth, 0U);
}

[[gnu::noinline]] void leap_untimed(std::jmp_buf& to) {
  volatile char deeper[256] = {};
  in_function(0x2000, [&] {
    static_cast<void>(deeper[0]);
    std::longjmp(to, 1);
  });
}

TEST_F(CountedCalls, AnUntimedCallThatLongjmpLeavesIsNoneAnyMore) {
  if (!tells_what_is_quick()) GTEST_SKIP() << "the clock takes longer than what is quick";
  teach(kG);
  const std::uint64_t taught = calls(kG);
  std::jmp_buf back;
  volatile int times = 0;
  in_function(kF, [&] {
    setjmp(back);
    in_function(kH, [] {});  // From here on it is known.
    if (times < 10'000) {
      times = times + 1;
      leap_untimed(back);
    }
  });
  EXPECT_EQ(calls(kG) - taught, 10'000U);
  EXPECT_EQ(own_place()->depth, 0U);
  EXPECT_EQ(own_place()->forgotten, 0U);
}

TEST_F(CountedCalls, ADeepStackForgetsItsOutside) {
  constexpr int kDeep = 3000;
  for (int i = 0; i < kDeep; ++i) enter(kG);
  EXPECT_LE(own_place()->depth, CallThread::kDepth);
  for (int i = 0; i < kDeep; ++i) leave(kG);
  EXPECT_EQ(calls(kG), std::uint64_t{kDeep});
  EXPECT_EQ(own_place()->depth, 0U);
  EXPECT_GE(own_place()->forgotten, kDeep - CallThread::kDepth);
}

TEST_F(CountedCalls, ThreadsCountEachByItselfAndTheNextOneTakesThePlace) {
  const std::uint32_t used = call_table->threads_used;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int k = 0; k < 1000; ++k) in_function(kF, [] { in_function(kG, [] {}); });
      });
    }
    for (std::thread& one : threads) one.join();
  }
  EXPECT_EQ(calls(kF), 200'000U);
  EXPECT_EQ(calls(kG), 200'000U);
  EXPECT_LE(call_table->threads_used, used + 8) << "places are used again";
}

TEST_F(CountedCalls, AForkedChildCountsByItself) {
  in_function(kF, [] {});
  const CallTable* of_parent = call_table;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_own =
        call_table != nullptr && call_table->threads_used == 0 && call_table->until == CallTable::kAlways;
    in_function(kG, [] {});
    ::_exit(is_own && read()[kG].calls == 1 && read()[kF].calls == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(call_table, of_parent);
  EXPECT_EQ(calls(kF), 1U);
  EXPECT_EQ(calls(kG), 0U);
}

std::uint64_t counted_in_handler = 0;

TEST_F(CountedCalls, HandlersOfSignalsAreCountedOrTold) {
  struct sigaction handling {};
  struct sigaction before {};
  handling.sa_handler = [](int) {
    ++counted_in_handler;
    in_function(0x3000, [] {});
  };
  ::sigaction(SIGUSR2, &handling, &before);
  counted_in_handler = 0;
  const pthread_t self = ::pthread_self();
  const std::uint64_t skipped = own_place() == nullptr ? 0 : own_place()->skipped.load();
  std::thread sender([self] {
    for (int i = 0; i < 20'000; ++i) ::pthread_kill(self, SIGUSR2);
  });
  constexpr std::uint64_t kTimes = 300'000;
  for (std::uint64_t i = 0; i < kTimes; ++i) in_function(kF, [] { in_function(kG, [] {}); });
  sender.join();
  ::sigaction(SIGUSR2, &before, nullptr);
  EXPECT_EQ(calls(kF), kTimes);
  EXPECT_EQ(calls(kG), kTimes);
  EXPECT_GT(counted_in_handler, 0U);
  EXPECT_EQ(calls(kH) + own_place()->skipped - skipped, counted_in_handler);
  EXPECT_EQ(own_place()->depth, 0U);
}

TEST_F(CountedCalls, MoreFunctionsThanThereIsRoomForAreCountedTogether) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr std::uint64_t kMany = 10'000;
    for (std::uint64_t i = 1; i <= kMany; ++i) in_function(i << 4, [] {});
    const CallThread& place = *own_place();
    const std::uint64_t others = place.entries[CallThread::kOthers].calls;
    ::_exit(place.used + others == kMany && others > 0 && place.used > 7000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace laggard::tracee
