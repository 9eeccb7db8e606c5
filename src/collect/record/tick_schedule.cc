#include "collect/record/tick_schedule.h"

#include <algorithm>

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
  // A little short of a whole number of intervals is one: the clocks are read one after the other.
  const std::int64_t intervals = (tick.deadline - *last_ + interval_ / 8) / interval_;
  tick.missed = static_cast<std::uint64_t>(std::max<std::int64_t>(intervals - 1, 0));
  last_ = tick.deadline;
  return tick;
}

}  // namespace laggard::collect
