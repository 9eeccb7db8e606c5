#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"

namespace laggard::collect {

/// When to sample: at multiples of `interval` on the wall clock, so that all hosts sample together and
/// nothing drifts. The wait itself is on the monotonic clock, so that a step of the wall clock neither delays
/// nor bunches samples but only moves the ticks after it.
class TickSchedule {
 public:
  explicit TickSchedule(Duration interval) : interval_(interval) {}

  struct Tick {
    MonoTime deadline;
    std::uint64_t missed = 0;  ///< Ticks that went by since the last one.
  };

  /// The next tick, given what both clocks show now. Ticks that are already over are skipped, never caught up
  /// on; so is one within half an interval of the last deadline or reading.
  [[nodiscard]] Tick next(WallTime wall, MonoTime mono);

  /// The sample of the last tick was begun at `mono`, in time or late.
  void begun(MonoTime mono) { begun_ = mono; }

 private:
  Duration interval_;
  std::optional<MonoTime> last_;
  std::optional<MonoTime> begun_;
};

/// How the clocks changed between two looks, apart from time passing.
struct ClockChange {
  Duration step{};       ///< Of the wall clock; negative when it was set back.
  Duration suspended{};  ///< How long the machine was suspended.
  WallTime before;       ///< The wall clock at the look before, …
  WallTime after;        ///< … and now.
};

/// `clock stepped by -3600 s`, to three digits below a hundred seconds.
[[nodiscard]] std::string step_reason(Duration step);

/// Detects steps of the wall clock and suspensions of the machine: the monotonic clock never steps, and
/// stands still exactly while the machine is suspended, a time that the kernel counts too.
class ClockWatch {
 public:
  /// \param interval  the approximate time between two looks.
  explicit ClockWatch(Duration interval);

  /// A step or suspension since the last look, if it is longer than half an interval or half a second,
  /// whichever is less. Slewing, by which NTP corrects a clock (at most 0.5 ms a second), does not count.
  [[nodiscard]] std::optional<ClockChange> look(Clock& clock);

 private:
  struct Reading {
    WallTime wall;
    MonoTime mono;
    Duration suspended{};
  };
  [[nodiscard]] static Reading read(Clock& clock);

  Duration tolerance_;
  std::optional<Reading> last_;
};

/// The machine's clocks, for a program that finishes on SIGTERM, SIGINT and SIGHUP (unless that was ignored,
/// as under nohup): these signals end a sleep and are remembered. They arrive through a file descriptor, so
/// that none is lost between looking at the flag and falling asleep. SIGPIPE is blocked too: writing to a
/// closed pipe is an error of that write and does not kill the program.
class SignalClock final : public Clock {
 public:
  /// Blocks those signals for this thread and for all threads that it starts afterwards.
  [[nodiscard]] static Result<SignalClock> make();

  [[nodiscard]] WallTime wall() override { return clock_.wall(); }
  [[nodiscard]] MonoTime mono() override { return clock_.mono(); }
  [[nodiscard]] Duration suspended() override { return clock_.suspended(); }
  void sleep_until(MonoTime deadline) override { sleep_until(deadline, {}); }
  /// Also until one of these descriptors is readable.
  void sleep_until(MonoTime deadline, std::span<const int> readable);

  /// Whether `sleep_until` or `asked_to_stop` has seen a signal.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// The same, after checking now.
  [[nodiscard]] bool asked_to_stop() {
    if (!stopped_) take_signal();
    return stopped_;
  }

 private:
  explicit SignalClock(Fd fd) : fd_(std::move(fd)) {}

  void take_signal();

  SystemClock clock_;
  Fd fd_;
  bool stopped_ = false;
};

}  // namespace laggard::collect
