#include "collect/import/perf/perf_clock.h"

namespace laggard::collect {

Status PerfClock::set(const std::string& host, Duration first, const PerfCapture& capture) {
  // No machine runs for so long, and no clock is so far back.
  constexpr Duration kLeastWallTime = std::chrono::seconds(1'000'000'000);
  assumed_ = Assumed::kNothing;
  if (options_.start) {
    offset_ = started_.try_emplace(host, options_.start->time_since_epoch() - first).first->second;
    return {};
  }
  if (first >= kLeastWallTime) {
    offset_ = Duration::zero();
    return {};
  }
  const std::optional<WallTime> captured =
      capture.captured ? wall_time(*capture.captured, options_.zone.value_or(Duration::zero()))
                       : std::optional<WallTime>();
  if (!captured) {
    return fail(ErrorCode::kBadInput, "",
                "has times since boot alone; say with --start when its first sample was, or have it written "
                "with perf script --header");
  }
  offset_ = captured->time_since_epoch() - capture.last_sample.value_or(first);
  if (!capture.last_sample) {
    assumed_ = Assumed::kFirstSample;
  } else if (!options_.zone) {
    assumed_ = Assumed::kZone;
  }
  return {};
}

}  // namespace laggard::collect
