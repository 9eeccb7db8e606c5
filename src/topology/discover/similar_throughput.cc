#include "topology/discover/similar_throughput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/missing.h"
#include "base/text.h"
#include "stats/missing_values.h"

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

namespace {

using Members = std::vector<std::size_t>;

double mean_rate(const std::vector<double>& rates) {
  double sum = 0;
  double count = 0;
  for (const double rate : rates) {
    if (std::isnan(rate)) continue;
    sum += rate;
    count += 1;
  }
  return count > 0 ? sum / count : kMissing;
}

double present(double rate) { return std::isnan(rate) ? 0 : rate; }

/// A rate on a logarithmic scale; all idle devices are alike.
double level(const std::vector<double>& rates, double least) {
  const double mean = mean_rate(rates);
  return std::log(std::max(present(mean), least));
}

/// Splits the members where their sorted levels have a gap.
std::vector<Members> cut(Members members, std::span<const double> levels, double gap) {
  std::ranges::stable_sort(members, {}, [&](std::size_t i) { return levels[i]; });
  std::vector<Members> parts;
  for (const std::size_t i : members) {
    if (parts.empty() || levels[i] - levels[parts.back().back()] > gap) parts.emplace_back();
    parts.back().push_back(i);
  }
  return parts;
}

/// Pearson's correlation over the blocks where both are known; 0 when either has no spread.
double correlation(std::span<const double> a, std::span<const double> b) {
  double n = 0;
  double sum_a = 0;
  double sum_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(a[k]) || std::isnan(b[k])) continue;
    n += 1;
    sum_a += a[k];
    sum_b += b[k];
  }
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(a[k]) || std::isnan(b[k])) continue;
    const double da = a[k] - sum_a / n;
    const double db = b[k] - sum_b / n;
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

class Grouper {
 public:
  Grouper(std::span<const ThroughputProfile> profiles, const SimilarOptions& options)
      : profiles_(profiles), options_(options), gap_(std::log(options.factor)) {
    for (const ThroughputProfile& profile : profiles) {
      reads_.push_back(level(profile.reads, options.least_rate));
      writes_.push_back(level(profile.writes, options.least_rate));
      std::vector<double>& total = totals_.emplace_back();
      for (std::size_t b = 0; b < profile.reads.size(); ++b) {
        const bool known = !std::isnan(profile.reads[b]) || !std::isnan(profile.writes[b]);
        const double rate = present(profile.reads[b]) + present(profile.writes[b]);
        total.push_back(known ? std::log(std::max(options.least_rate, rate)) : kMissing);
      }
    }
  }

  SimilarGroups run() {
    const double idle = std::log(options_.least_rate);
    Members busy;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      const bool loaded = reads_[i] > idle || writes_[i] > idle;
      (loaded ? busy : found_.idle).push_back(i);
    }
    by_level(std::move(busy));
    std::ranges::stable_sort(found_.groups, std::greater<>(), &Members::size);
    std::ranges::sort(found_.alone);
    return std::move(found_);
  }

 private:
  void by_level(Members members) {
    for (const std::vector<double>* levels : {&reads_, &writes_}) {
      std::vector<Members> parts = cut(members, *levels, gap_);
      if (parts.size() < 2) continue;
      for (Members& part : parts) by_level(std::move(part));
      return;
    }
    by_time(std::move(members));
  }

  void by_time(Members members) {
    std::ranges::sort(members);
    while (members.size() >= options_.min_members) {
      const std::vector<double> middle = median_profile(members);
      Members like;
      Members others;
      for (const std::size_t i : members) {
        (correlation(totals_[i], middle) >= options_.least_correlation ? like : others).push_back(i);
      }
      // The median of several workloads may be like none of them: then the first member's profile is used.
      if (like.size() < options_.min_members) {
        like.clear();
        others.clear();
        for (const std::size_t i : members) {
          const bool same = i == members.front() ||
                            correlation(totals_[i], totals_[members.front()]) >= options_.least_correlation;
          (same ? like : others).push_back(i);
        }
      }
      keep(std::move(like));
      members = std::move(others);
    }
    keep(std::move(members));
  }

  void keep(Members members) {
    if (members.size() >= options_.min_members) {
      found_.groups.push_back(std::move(members));
    } else {
      found_.alone.insert(found_.alone.end(), members.begin(), members.end());
    }
  }

  [[nodiscard]] std::vector<double> median_profile(const Members& members) const {
    std::vector<double> middle;
    std::vector<double> block(members.size());
    for (std::size_t b = 0; b < totals_.front().size(); ++b) {
      for (std::size_t i = 0; i < members.size(); ++i) block[i] = totals_[members[i]][b];
      middle.push_back(stats::median_of(block));
    }
    return middle;
  }

  std::span<const ThroughputProfile> profiles_;
  SimilarOptions options_;
  double gap_;
  std::vector<double> reads_;                ///< Log of the mean read rate, per device.
  std::vector<double> writes_;               ///< Log of the mean write rate, per device.
  std::vector<std::vector<double>> totals_;  ///< Log of the total rate, per device and block.
  SimilarGroups found_;
};

}  // namespace

SimilarGroups group_by_throughput(std::span<const ThroughputProfile> profiles,
                                  const SimilarOptions& options) {
  return Grouper(profiles, options).run();
}

}  // namespace laggard::topology
