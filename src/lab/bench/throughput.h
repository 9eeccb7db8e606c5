#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::lab::bench {

/// Bytes through the ports of the switches whose names begin with `ports` (`p-s`: the servers', `p-c`: the
/// clients'): the sum of both columns `bytes` of these lines of /proc/net/dev.
[[nodiscard]] std::uint64_t port_bytes(std::string_view net_dev, std::string_view ports);

/// How fast the file system was in a part of a run.
struct Pace {
  double median_mb_per_second = 0;  ///< Of bins of Throughput::kBin.
  double mean_mb_per_second = 0;    ///< What stalls cost shows here and not in the median.
  std::size_t bins = 0;
};

/// The pace of one part of a run, from readings of a counter of bytes.
class Throughput {
 public:
  static constexpr Duration kBin = std::chrono::seconds(5);

  /// Whether a reading is due.
  [[nodiscard]] bool due(MonoTime now) const {
    return readings_.empty() || now - readings_.back().at >= kBin;
  }
  void add(MonoTime at, std::uint64_t bytes) { readings_.push_back({at, bytes}); }
  /// Forgets what was read before `from`.
  void settle(MonoTime from);
  /// Nothing for fewer than two readings.
  [[nodiscard]] std::optional<Pace> pace() const;

 private:
  struct Reading {
    MonoTime at;
    std::uint64_t bytes = 0;
  };
  std::vector<Reading> readings_;
};

/// The paces before, during and after a fault; a control has only the first.
struct Paces {
  std::optional<Pace> before;
  std::optional<Pace> during;
  std::optional<Pace> after;
};

/// 1 - during / before, of medians or means; negative when it was faster. Nothing without both, or when
/// nothing moved before.
[[nodiscard]] std::optional<double> lost(const Paces& paces, double Pace::*figure);

}  // namespace laggard::lab::bench
