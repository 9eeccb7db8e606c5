#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/profile.h"

namespace laggard::collect {

/// How long probes took, counted per minute, target and operation in buckets of 1, 2, 5, 10, … from 10 us to
/// 100 s. A bucket is the word `WrEx 2ms`: longer than the one before, at most 2 ms. What ended without a
/// latency is counted by its outcome: `WrEx timeout`, `WrEx error`.
class LatencyHistogram {
 public:
  static constexpr Duration kPeriod = std::chrono::minutes(1);

  void count(const std::string& target, const std::string& operation, Duration latency) {
    ++counts_[target][operation + " " + bucket_of(latency)];
  }
  void count(const std::string& target, const std::string& operation, const std::string& outcome) {
    ++counts_[target][operation + " " + outcome];
  }

  /// Hands over the minute that was counted when `now` is in another one. Periods begin at whole minutes but
  /// for the first one.
  void advance(WallTime now, ProfileTable& profile);
  /// Hands over what there is.
  void finish(WallTime now, ProfileTable& profile);

  [[nodiscard]] static std::string bucket_of(Duration latency);

 private:
  bool begun_ = false;
  WallTime begin_;
  std::map<std::string, std::map<std::string, std::uint64_t>> counts_;  ///< By target and word.
};

}  // namespace laggard::collect
