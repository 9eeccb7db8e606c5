#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace laggard::collect {

/// When to sample: at the multiples of `interval` of the wall clock, so that all hosts sample together and
/// nothing drifts; waited for on the monotonic clock, so that a step of the wall clock neither delays nor
/// bunches samples but only moves the ticks after it.
class TickSchedule {
 public:
  explicit TickSchedule(Duration interval) : interval_(interval) {}

  struct Tick {
    MonoTime deadline;
    std::uint64_t missed = 0;  ///< Ticks that went by since the last one.
  };

  /// The next tick, given what both clocks show now. Ticks that are already over are skipped, never made up
  /// for; so is one that would come within half an interval of the last deadline or reading.
  [[nodiscard]] Tick next(WallTime wall, MonoTime mono);

  /// The sample of the last tick was begun at `mono`, in time or late.
  void begun(MonoTime mono) { begun_ = mono; }

 private:
  Duration interval_;
  std::optional<MonoTime> last_;
  std::optional<MonoTime> begun_;
};

/// What the clocks did between two looks besides going on.
struct ClockChange {
  Duration step{};       ///< Of the wall clock against the others; negative when it was set back.
  Duration suspended{};  ///< Of the machine.
  WallTime before;       ///< The wall clock at the look before, …
  WallTime after;        ///< … and now.
};

/// `clock stepped by -3600 s`, to three digits below a hundred seconds.
[[nodiscard]] std::string step_reason(Duration step);

/// Tells steps of the wall clock from time that passed: the monotonic clock never steps, and stands still
/// exactly while the machine is suspended, which the kernel counts too.
class ClockWatch {
 public:
  /// \param interval  about how far looks are apart.
  explicit ClockWatch(Duration interval);

  /// A step or suspension since the last look, if there was one of more than half an interval or half a
  /// second, whichever is less. Slewing, by which NTP corrects a clock (at most 0.5 ms a second), is none.
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

}  // namespace laggard::collect
