#pragma once

#include <cstdint>

#include "base/time.h"

namespace laggard {

/// The common clock of a comparison: cells of one length, counted from the epoch, to which every host is
/// resampled. Cell g covers (g-1, g] x step and is stamped with its end, so that live and offline, one
/// machine and many, see the same cells (docs/methods/metrics.md).
struct Grid {
  Duration step{std::chrono::seconds(1)};

  /// The cell that holds `t`: the smallest g with g x step >= t.
  [[nodiscard]] std::int64_t cell(WallTime t) const {
    const WallTime floor = floor_to(t, step);
    return to_unix_ns(floor) / step.count() + (floor == t ? 0 : 1);
  }
  [[nodiscard]] WallTime end(std::int64_t g) const { return from_unix_ns(g * step.count()); }
  [[nodiscard]] WallTime begin(std::int64_t g) const { return from_unix_ns((g - 1) * step.count()); }
  [[nodiscard]] double seconds() const { return to_seconds(step); }
};

}  // namespace laggard
