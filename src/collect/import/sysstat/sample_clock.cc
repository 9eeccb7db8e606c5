#include "collect/import/sysstat/sample_clock.h"

#include <fmt/format.h>

#include <cstdlib>

namespace laggard::collect {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHundredth = kSecond / 100;

std::string boot_label(std::int64_t boot_ns, int steps_back) {
  constexpr Duration kGrid = std::chrono::minutes(2);
  std::string label = "since " + to_iso8601(floor_to(from_unix_ns(boot_ns) + kGrid / 2, kGrid));
  if (steps_back > 0) label += fmt::format(" step {}", steps_back);
  return label;
}

}  // namespace

void SampleClock::restart() {
  anchor_ns_.reset();
  steps_back_ = 0;
}

SampleClock::Stamp SampleClock::stamp(std::int64_t wall_s, std::int64_t uptime_cs) {
  const std::int64_t wall_ns = wall_s * kSecond;
  const std::int64_t up_ns = uptime_cs * kHundredth;
  if (!anchor_ns_) {
    anchor_ns_ = wall_ns - up_ns;
    boot_ = boot_label(*anchor_ns_, 0);
  } else if (std::abs(*anchor_ns_ + up_ns - wall_ns) > 2 * kSecond) {
    // The uptime tells whether the clock was set back or an earlier record is asked for once more.
    const bool back = wall_ns <= last_ns_ && uptime_cs > last_uptime_cs_;
    anchor_ns_ = wall_ns - up_ns;
    if (back) boot_ = boot_label(*anchor_ns_, ++steps_back_);
  }
  last_ns_ = *anchor_ns_ + up_ns;
  last_uptime_cs_ = uptime_cs;
  return {from_unix_ns(last_ns_), boot_};
}

}  // namespace laggard::collect
