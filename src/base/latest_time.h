#pragma once

#include "base/time.h"

namespace laggard {

/// 2100-01-01T00:00:00Z. Nothing was recorded later: a time beyond is in another unit, or damage. Products of
/// seconds and milliseconds before it fit, and so does its difference to any time of parse_time.
inline constexpr WallTime kLatestTime = from_unix_ns(4'102'444'800'000'000'000);

}  // namespace laggard
