#include "collect/calls/call_periods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  const bool is_early = since_ && now >= *since_ && now < floor_to(*since_, interval_) + interval_;
  until_due_ = floor_to(is_early ? *since_ : now, interval_) + interval_ - now;
  return !is_early;
}

std::optional<TimeSpan> CallPeriods::end_period(const Changes& changes, WallTime now,
                                                ObservationBatch& batch) {
  const auto since = std::exchange(since_, now);
  if (!since) return std::nullopt;
  const TimeSpan period{*since, std::max(*since, now)};  // The clock may have been set back.
  const Duration length = period.to - period.from;
  ProfileTable& counts = batch.profiles.front();
  ProfileTable& times = batch.profiles.back();
  counts.begin({.start = period.from, .length = length});
  times.begin({.start = period.from, .length = length, .each = std::chrono::microseconds(1)});
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
  if (unnamed > 0) {
    counts.add_loss({.from = period.from, .to = period.to, .count = unnamed, .reason = "too many functions"});
  }
  return period;
}

}  // namespace laggard::collect
