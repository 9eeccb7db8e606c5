#include "collect/record/clocks.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <vector>

namespace laggard::collect {

TickSchedule::Tick TickSchedule::next(WallTime wall, MonoTime mono) {
  Tick tick;
  tick.deadline = mono + (floor_to(wall, interval_) + interval_ - wall);
  if (!last_) {
    last_ = tick.deadline;
    return tick;
  }
  const MonoTime earliest = std::max(*last_, begun_.value_or(*last_)) + interval_ / 2;
  while (tick.deadline < earliest) tick.deadline += interval_;
  // Rounds up what is just short of a whole number of intervals: the clocks are read one after the other.
  const std::int64_t intervals = (tick.deadline - *last_ + interval_ / 8) / interval_;
  tick.missed = static_cast<std::uint64_t>(std::max<std::int64_t>(intervals - 1, 0));
  last_ = tick.deadline;
  return tick;
}

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSlewPerSecond =
    1000;  ///< One part in 1000 is tolerated, twice what the kernel slews.

}  // namespace

std::string step_reason(Duration step) {
  const double seconds = to_seconds(step);
  return std::chrono::abs(step) < 100s ? fmt::format("clock stepped by {:+.3g} s", seconds)
                                       : fmt::format("clock stepped by {:+.0f} s", seconds);
}

ClockWatch::ClockWatch(Duration interval) : tolerance_(std::min<Duration>(interval / 2, 500ms)) {}

/// Reads all clocks as of one moment: being descheduled between two of the readings would look like a step.
ClockWatch::Reading ClockWatch::read(Clock& clock) {
  constexpr int kAttempts = 5;
  constexpr Duration kClose = 1ms;
  Reading best;
  Duration closest = Duration::max();
  for (int attempt = 0; attempt < kAttempts && closest > kClose; ++attempt) {
    const MonoTime mono = clock.mono();
    const Reading now{clock.wall(), mono, clock.suspended()};
    const Duration apart = clock.mono() - mono;
    if (apart < closest) {
      best = now;
      closest = apart;
    }
  }
  return best;
}

std::optional<ClockChange> ClockWatch::look(Clock& clock) {
  const Reading now = read(clock);
  if (!last_) {
    last_ = now;
    return std::nullopt;
  }
  const Reading before = *last_;
  last_ = now;
  const Duration passed = now.mono - before.mono;
  const Duration tolerance = tolerance_ + passed / kSlewPerSecond;
  ClockChange change{.suspended = now.suspended - before.suspended, .before = before.wall, .after = now.wall};
  change.step = (now.wall - before.wall) - passed - change.suspended;
  if (std::chrono::abs(change.step) <= tolerance) change.step = {};
  if (change.suspended <= tolerance) change.suspended = {};
  if (change.step == Duration{} && change.suspended == Duration{}) return std::nullopt;
  return change;
}

Result<SignalClock> SignalClock::make() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  sigset_t blocked = set;
  sigaddset(&blocked, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  Fd fd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!fd.valid()) return fail_errno(errno, "signalfd", "cannot watch for signals");
  return SignalClock(std::move(fd));
}

void SignalClock::sleep_until(MonoTime deadline, std::span<const int> readable) {
  const Duration left = deadline - clock_.mono();
  if (left <= Duration::zero() || stopped_) return;
  timespec wait{};
  wait.tv_sec = left.count() / 1'000'000'000;
  wait.tv_nsec = left.count() % 1'000'000'000;
  std::vector<pollfd> polled{{fd_.get(), POLLIN, 0}};
  for (const int descriptor : readable) polled.push_back({descriptor, POLLIN, 0});
  if (::ppoll(polled.data(), polled.size(), &wait, nullptr) > 0) take_signal();
}

void SignalClock::take_signal() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) stopped_ = true;
}

}  // namespace laggard::collect
