#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/time.h"

namespace laggard::engine {

/// A shard of a recording: a part of it that is judged by itself: by one of several processes, or by one that
/// goes on where another was killed. Its windows are those that are complete at cells (after, last]; they
/// come out as they do when the whole recording is judged, to the bit.
///
/// Why that can be: a window is a function of the samples of `history` cells, and what a device's meter
/// remembers ends with a gap, or with a cell in which the device was not stalled. So it is enough to read
/// that much more before the shard; and where it was not, the pipeline notices (Pipeline::needs_earlier) and
/// the shard is read again from further back. docs/methods/shards.md has the argument in full.
struct Shard {
  std::int64_t after = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  /// Samples before this are not read; nothing: the recording is read from its beginning.
  std::optional<WallTime> read_from;

  [[nodiscard]] bool holds(std::int64_t cell) const { return cell > after && cell <= last; }
  /// The same as [begin, end).
  [[nodiscard]] std::int64_t begin() const {
    return after == std::numeric_limits<std::int64_t>::min() ? after : after + 1;
  }
  [[nodiscard]] std::int64_t end() const {
    return last == std::numeric_limits<std::int64_t>::max() ? last : last + 1;
  }
};

}  // namespace laggard::engine
