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

/// The throughput of one device over time, in blocks of equal length: sectors per second, or the unit of a
/// recorded throughput. NaN in blocks without a sample.
struct ThroughputProfile {
  std::string host;
  std::string device;
  std::vector<double> reads;
  std::vector<double> writes;  ///< All NaN where only a total was recorded, which is then in `reads`.
};

/// Computes the throughput profiles of all disks of a recording in one pass. Blocks begin at multiples of
/// their length since the epoch.
class ThroughputProfiles {
 public:
  explicit ThroughputProfiles(Duration block) : block_(block) {}

  /// The tables of a device must come in order of recording.
  void add(const SampleTable& table);

  /// In natural order of host and device; all profiles cover the same blocks.
  [[nodiscard]] std::vector<ThroughputProfile> profiles() const;

 private:
  struct Block {
    double moved = 0;
    double seconds = 0;
  };
  using Blocks = std::map<std::int64_t, Block>;
  struct Flow {
    std::optional<WallTime> time;  ///< The time of the previous sample.
    std::uint64_t count = 0;       ///< The counter in the previous sample.
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
  double factor = 1.25;            ///< Mean rates are similar unless a gap of this factor separates them.
  double least_correlation = 0.5;  ///< With the group's median over time; below, it is another workload.
  double least_rate = 16;          ///< Sectors/s (8 kB/s) below which a device counts as idle.
  std::size_t min_members = 3;
};

/// Which devices move about as much data at about the same times, so that their latencies may be compared (T
/// §8.1, the black-box way).
struct SimilarGroups {
  std::vector<std::vector<std::size_t>> groups;  ///< Indices into the profiles; largest first.
  std::vector<std::size_t> idle;                 ///< Without load, so they cannot be told apart.
  std::vector<std::size_t> alone;                ///< Similar to fewer than min_members - 1 others.
};

/// Devices are characterised by their mean read and write rates on a logarithmic scale. They are separated
/// wherever the sorted means have a gap of `factor`: by reads, then by writes within each group, and again
/// until nothing separates. Within a group, those devices stay together whose profile over time correlates
/// with the group's median profile; the rest is grouped again among itself.
///
/// Its limits, as T says: a device with more or less traffic than its peers ends up in another group, or
/// alone, so a hog is never found. And devices without load cannot be told apart.
[[nodiscard]] SimilarGroups group_by_throughput(std::span<const ThroughputProfile> profiles,
                                                const SimilarOptions& options);

}  // namespace laggard::topology
