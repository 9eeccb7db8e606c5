#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

}  // namespace laggard::topology
