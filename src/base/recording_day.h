#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace laggard {

/// Days of a recording turn at 00:00:05 UTC: a clock set back by up to five seconds right after midnight's
/// rotation then still shows the new date (T §3.2.2).
inline constexpr Duration kRotation = std::chrono::seconds{5};

/// Number of the recording day that `t` belongs to: floor((t - 00:00:05) / 24 h) since the epoch.
[[nodiscard]] constexpr std::int64_t recording_day(WallTime t) {
  constexpr Duration kDay = std::chrono::hours{24};
  return to_unix_ns(floor_to(t - kRotation, kDay)) / kDay.count();
}

}  // namespace laggard
