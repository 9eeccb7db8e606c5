#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace laggard::collect {

/// Times of sysstat's records. A record has the wall clock in whole seconds and the host's uptime in
/// hundredths; sar computes its rates over the uptime. So that rates computed from our times are sar's, a
/// time is
///
///   t = wall of the first record + (uptime - uptime of the first record),
///
/// which differs from the true one by a constant below one second. When it has drifted from the record's wall
/// clock by more than two seconds (the clock was set, or slewed for long), that record is the new first one.
/// What a record is told depends on earlier records only, so that a file that has grown is imported the same.
class SampleClock {
 public:
  struct Stamp {
    WallTime time;
    /// Which boot, as its time to two minutes; another one after the clock was stepped back, since times then
    /// repeat. `since 2026-11-20T17:56:00Z`.
    std::string boot;
  };

  /// \param wall_s     Unix seconds.
  /// \param uptime_cs  hundredths of seconds.
  [[nodiscard]] Stamp stamp(std::int64_t wall_s, std::int64_t uptime_cs);

  /// The host or its recorder was restarted.
  void restart();

 private:
  std::optional<std::int64_t> anchor_ns_;  ///< Wall time at uptime 0.
  std::int64_t last_ns_ = 0;
  std::int64_t last_uptime_cs_ = 0;
  int steps_back_ = 0;
  std::string boot_;
};

}  // namespace laggard::collect
