#include "topology/discover/throughput_profiles.h"

#include <algorithm>
#include <limits>

#include "base/missing.h"
#include "base/text.h"

namespace laggard::topology {

void ThroughputProfiles::add_counter(const SampleTable& table, std::size_t c, std::size_t d,
                                     Flow& flow) const {
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    if (!table.present(c, d, t)) continue;
    const WallTime now = table.times()[t];
    const std::uint64_t count = table.bits(c, d, t);
    if (flow.time && now > *flow.time && now - *flow.time < block_) {
      if (const auto moved = counter_increase(flow.count, count)) {
        Block& block = flow.blocks[to_unix_ns(now) / block_.count()];
        block.moved += static_cast<double>(*moved);
        block.seconds += to_seconds(now - *flow.time);
      }
    }
    flow.time = now;
    flow.count = count;
  }
}

void ThroughputProfiles::add_rate(const SampleTable& table, std::size_t c, std::size_t d, Flow& flow) const {
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const auto rate = table.number(c, d, t);
    if (!rate) continue;
    Block& block = flow.blocks[to_unix_ns(table.times()[t]) / block_.count()];
    block.moved += *rate;
    block.seconds += 1;
  }
}

void ThroughputProfiles::add(const SampleTable& table) {
  if (table.kind() != DeviceKind::kDisk) return;
  const auto reads = table.counter_index("rd_sectors");
  const auto writes = table.counter_index("wr_sectors");
  const auto total = table.counter_index("throughput");
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    Disk& disk = disks_[{table.host(), table.devices()[d]}];
    if (disk.boot != table.boot()) {
      disk.reads.time.reset();
      disk.writes.time.reset();
      disk.boot = table.boot();
    }
    if (reads) add_counter(table, *reads, d, disk.reads);
    if (writes) add_counter(table, *writes, d, disk.writes);
    if (total && !reads && !writes) add_rate(table, *total, d, disk.reads);
  }
}

std::vector<double> ThroughputProfiles::rates(const Blocks& blocks, std::int64_t first, std::int64_t last) {
  std::vector<double> rates;
  for (std::int64_t b = first; b <= last; ++b) {
    const auto found = blocks.find(b);
    const bool known = found != blocks.end() && found->second.seconds > 0;
    rates.push_back(known ? found->second.moved / found->second.seconds : kMissing);
  }
  return rates;
}

std::vector<ThroughputProfile> ThroughputProfiles::profiles() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const auto& [name, disk] : disks_) {
    for (const Blocks* blocks : {&disk.reads.blocks, &disk.writes.blocks}) {
      if (blocks->empty()) continue;
      first = std::min(first, blocks->begin()->first);
      last = std::max(last, blocks->rbegin()->first);
    }
  }
  std::vector<ThroughputProfile> profiles;
  for (const auto& [name, disk] : disks_) {
    profiles.push_back({name.first, name.second, rates(disk.reads.blocks, first, last),
                        rates(disk.writes.blocks, first, last)});
  }
  std::ranges::sort(profiles, [](const ThroughputProfile& a, const ThroughputProfile& b) {
    return a.host != b.host ? natural_less(a.host, b.host) : natural_less(a.device, b.device);
  });
  return profiles;
}

}  // namespace laggard::topology
