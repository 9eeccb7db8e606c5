#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "topology/discover/throughput_profiles.h"

namespace laggard::topology {

struct SimilarOptions {
  double factor = 1.25;            ///< Mean rates that no gap of this factor parts are similar.
  double least_correlation = 0.5;  ///< With the group's median, in time; below, it is another workload's.
  double least_rate = 16;          ///< Sectors/s (8 kB/s) below which a device counts as idle.
  std::size_t min_members = 3;
};

/// Which devices move about as much at about the same times, and so may be compared in latency (T §8.1, the
/// black-box way).
struct SimilarGroups {
  std::vector<std::vector<std::size_t>> groups;  ///< Indices into the profiles; largest first.
  std::vector<std::size_t> idle;                 ///< No load to tell them apart by.
  std::vector<std::size_t> alone;                ///< Like fewer than min_members - 1 others.
};

/// Of each device the mean of reads and that of writes are taken, on a logarithmic scale. Devices are parted
/// wherever the sorted means have a gap of `factor`, by reads, then by writes within what is left, and again
/// until nothing parts. Within such a group those stay together whose profile over time correlates with the
/// group's median profile; the rest is tried among itself.
///
/// What it cannot do, as T says: a device with more or less traffic than its peers is in another group, or
/// alone, so a hog is never found in it. And devices without load are one heap.
[[nodiscard]] SimilarGroups group_by_throughput(std::span<const ThroughputProfile> profiles,
                                                const SimilarOptions& options);

}  // namespace laggard::topology
