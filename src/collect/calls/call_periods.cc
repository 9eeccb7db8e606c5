#include "collect/calls/call_periods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace laggard::collect {

Result<Duration> CallPeriods::interval_of(const EventSourceSetup& setup) {
  constexpr Duration kShortest = std::chrono::milliseconds(100);
  constexpr Duration kLongest = std::chrono::minutes(10);
  const auto interval = parse_duration(setup.option("interval"));
  if (interval && *interval >= kShortest && *interval <= kLongest) return *interval;
  return fail(ErrorCode::kBadUse, "--interval",
              fmt::format("'{}' is no duration from 100ms to 10m, such as 1s", setup.option("interval")));
}

bool CallPeriods::is_due(WallTime now) {
  const WallTime since = last_.second;
  const WallTime next = floor_to(has_begun_ && now >= since ? since : now, interval_) + interval_;
  const bool is_early = has_begun_ && now >= since && now < next;
  until_due_ = (is_early ? next : floor_to(now, interval_) + interval_) - now;
  return !is_early;
}

void CallPeriods::end_period(const Changes& changes, WallTime now, ObservationBatch& batch) {
  last_ = {last_.second, now};
  if (!std::exchange(has_begun_, true)) return;
  ProfileTable& counts = batch.profiles.front();
  ProfileTable& times = batch.profiles.back();
  const auto [since, until] = last_;
  const Duration length = std::max(until - since, Duration::zero());
  counts.begin({.start = since, .length = length});
  times.begin({.start = since, .length = length, .each = std::chrono::microseconds(1)});
  std::uint64_t unnamed = 0;
  for (const auto& [word, change] : changes) {
    const auto of_count = counts.intern(word);
    const auto of_time = times.intern(word);
    if (!of_count || !of_time) {
      unnamed += change.calls;
      continue;
    }
    if (change.calls > 0) counts.add(*of_count, change.calls);
    if (change.microseconds > 0) times.add(*of_time, change.microseconds);
    calls_ += change.calls;
  }
  if (unnamed > 0)
    counts.add_loss({.from = since, .to = until, .count = unnamed, .reason = "too many functions"});
}

}  // namespace laggard::collect
