#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lab/sim/event_queue.h"

namespace laggard::lab {

/// Bytes [begin, end) of a disk.
struct DiskRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t bytes() const { return end - begin; }
  [[nodiscard]] bool overlaps(const DiskRange& other) const { return begin < other.end && other.begin < end; }
  friend bool operator==(const DiskRange&, const DiskRange&) = default;
};

/// Parts of a disk that are held, each since some time. They do not overlap. O(log n) for an extent, found by
/// its place or by its age.
class Extents {
 public:
  struct Extent {
    DiskRange range;
    SimTime since{};
  };

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// The parts of `range` that are not held, ascending.
  [[nodiscard]] std::vector<DiskRange> gaps(const DiskRange& range) const;
  /// The first part of `range` that is held; nothing when none is.
  [[nodiscard]] std::optional<DiskRange> first_in(const DiskRange& range) const;
  /// What has been held longest, and of several since the same time the one with the lowest place.
  [[nodiscard]] std::optional<Extent> oldest() const;

  /// Holds what of `range` is not held yet since `since`; the rest keeps its time.
  /// \return the bytes that were not held.
  std::int64_t add(const DiskRange& range, SimTime since);
  /// Lets go of whatever of `range` is held.
  void remove(const DiskRange& range);

 private:
  struct Held {
    std::int64_t end = 0;
    SimTime since{};
  };
  using ByPlace = std::map<std::int64_t, Held>;

  /// The first extent that ends behind `place`.
  [[nodiscard]] ByPlace::const_iterator first_behind(std::int64_t place) const;
  void insert(const DiskRange& range, SimTime since);

  ByPlace by_place_;  ///< By their beginnings.
  std::set<std::pair<SimTime, std::int64_t>> by_age_;
  std::int64_t bytes_ = 0;
};

}  // namespace laggard::lab
