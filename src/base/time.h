#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard {

using Duration = std::chrono::nanoseconds;

/// A moment of wall-clock time, UTC. Steps and skews happen to it; never measure a delay with it.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// A stretch of time. Whether it includes `to` is up to the function that takes it.
struct TimeSpan {
  WallTime from;
  WallTime to;
  bool operator==(const TimeSpan&) const = default;
};

/// A moment of the monotonic clock: for schedules and delays. Does not mix with WallTime.
using MonoTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

[[nodiscard]] constexpr WallTime from_unix_ns(std::int64_t ns) { return WallTime{Duration{ns}}; }
[[nodiscard]] constexpr std::int64_t to_unix_ns(WallTime t) { return t.time_since_epoch().count(); }
[[nodiscard]] constexpr double to_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// ISO 8601 in UTC: `2011-05-09T00:00:05Z`, with as many of milli-, micro- or nanoseconds as are not zero.
[[nodiscard]] std::string to_iso8601(WallTime t);

/// The form used in file names, without colons (T §5.9): `20110509T000005Z`. Fractions are dropped.
[[nodiscard]] std::string to_file_stamp(WallTime t);

/// Reads Unix seconds or ISO 8601 with `Z` or a numeric offset. A time without a zone is refused, because
/// guessing one is how whole analyses shift by hours (T §5.9); so is a time before 1824 or after 2115, so
/// that the difference of any two fits into a Duration. Fractions are read as digits, not through a double:
/// the first nine count, exactly.
[[nodiscard]] Result<WallTime> parse_time(std::string_view text);

/// Reads `to_file_stamp`'s form.
[[nodiscard]] Result<WallTime> parse_file_stamp(std::string_view text);

/// `500ms`, `1s`, `15s`, `10m`, `2h`, `30d`; a bare number means seconds.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// The shortest of those forms that is exact: `15s`, `1m30s`, `2h`.
[[nodiscard]] std::string to_text(Duration d);

/// The largest multiple of `step` since the epoch that is not after `t`. Requires step > 0.
[[nodiscard]] constexpr WallTime floor_to(WallTime t, Duration step) {
  const std::int64_t ns = to_unix_ns(t);
  const std::int64_t s = step.count();
  const std::int64_t rest = ((ns % s) + s) % s;
  return from_unix_ns(ns - rest);
}

/// 2100-01-01T00:00:00Z. Nothing was recorded later: a time beyond it is in another unit, or damaged. Any
/// earlier time fits into 64 bits in nanoseconds, and so does its difference to any result of parse_time.
inline constexpr WallTime kLatestTime = from_unix_ns(4'102'444'800'000'000'000);

/// The clocks as the program sees them; an interface so that tests can step, stop and rewind them.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime wall() = 0;
  [[nodiscard]] virtual MonoTime mono() = 0;
  /// How long the machine has been suspended since it booted; the monotonic clock stands still meanwhile.
  [[nodiscard]] virtual Duration suspended() { return {}; }
  /// Sleeps until `deadline` of the monotonic clock or until a signal arrives, whichever is first.
  virtual void sleep_until(MonoTime deadline) = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override;
  [[nodiscard]] MonoTime mono() override;
  [[nodiscard]] Duration suspended() override;
  void sleep_until(MonoTime deadline) override;
};

}  // namespace laggard
