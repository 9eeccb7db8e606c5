#include "base/clock.h"

#include <ctime>

namespace laggard {

WallTime SystemClock::wall() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

MonoTime SystemClock::mono() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

Duration SystemClock::suspended() {
  timespec mono{};
  timespec boot{};
  if (::clock_gettime(CLOCK_MONOTONIC, &mono) != 0 || ::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return {};
  return std::chrono::seconds(boot.tv_sec - mono.tv_sec) + Duration(boot.tv_nsec - mono.tv_nsec);
}

void SystemClock::sleep_until(MonoTime deadline) {
  const std::int64_t ns = deadline.time_since_epoch().count();
  timespec until{};
  until.tv_sec = ns / 1'000'000'000;
  until.tv_nsec = ns % 1'000'000'000;
  // An interrupted sleep returns early on purpose: the caller looks at its stop flag.
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace laggard
