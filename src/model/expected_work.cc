#include "model/expected_work.h"

namespace laggard {

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr std::int64_t kDaysPerWeek = 7;

/// 0 is Monday. The epoch was a Thursday.
std::int64_t weekday(std::int64_t day) {
  constexpr std::int64_t kThursday = 3;
  return ((day + kThursday) % kDaysPerWeek + kDaysPerWeek) % kDaysPerWeek;
}

}  // namespace

std::optional<TimeSpan> ExpectedWork::at(WallTime t) const {
  if (once) return t >= once->from && (t < once->to || goes_on) ? once : std::nullopt;
  const std::int64_t today = to_unix_ns(floor_to(t, kDay)) / kDay.count();
  for (std::int64_t day = today; day >= today - kDaysPerWeek; --day) {
    if ((days >> weekday(day) & 1U) == 0) continue;
    const WallTime from = from_unix_ns(day * kDay.count()) + start;
    if (t >= from && t < from + length) return TimeSpan{from, from + length};
  }
  return std::nullopt;
}

}  // namespace laggard
