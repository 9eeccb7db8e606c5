#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace laggard::collect
