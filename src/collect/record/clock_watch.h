#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace laggard::collect {

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
