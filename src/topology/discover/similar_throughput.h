#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/sample_table.h"
#include "model/series_source.h"

namespace laggard::topology {

/// What one device moved, block by block: sectors (or the unit of a recorded throughput) per second. NaN in
/// blocks of which it has no sample.
struct ThroughputProfile {
  std::string host;
  std::string device;
  std::vector<double> reads;
  std::vector<double> writes;  ///< All NaN where only a total was recorded, which is then in `reads`.
};

/// Adds up the traffic of all disks of a recording, in one pass, whatever groups they are in. Blocks begin at
/// multiples of their length since the epoch.
class ThroughputProfiles {
 public:
  explicit ThroughputProfiles(Duration block) : block_(block) {}

  /// Tables of a device in the order of recording.
  void add(const SampleTable& table);

  /// By host and device in natural order, all over the same blocks.
  [[nodiscard]] std::vector<ThroughputProfile> profiles() const;

 private:
  struct Block {
    double moved = 0;
    double seconds = 0;
  };
  using Blocks = std::map<std::int64_t, Block>;
  struct Flow {
    std::optional<WallTime> time;  ///< Of the sample before ...
    std::uint64_t count = 0;       ///< ... and what it counted.
    Blocks blocks;
  };
  struct Disk {
    std::string boot;
    Flow reads;
    Flow writes;
  };

  void add_counter(const SampleTable& table, std::size_t c, std::size_t d, Flow& flow) const;
  void add_rate(const SampleTable& table, std::size_t c, std::size_t d, Flow& flow) const;
  [[nodiscard]] static std::vector<double> rates(const Blocks& blocks, std::int64_t first, std::int64_t last);

  Duration block_;
  std::map<std::pair<std::string, std::string>, Disk> disks_;
};

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
