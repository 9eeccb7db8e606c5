#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/sample_table.h"

namespace laggard::archive {

/// Counts the sample times at which each device was under load (DeviceInfo::active_samples), over the tables
/// of one host and kind in order. It remembers the last counters, so the result does not depend on how a run
/// is divided into tables.
class ActivityTracker {
 public:
  /// One count per device of the table.
  [[nodiscard]] std::vector<std::uint32_t> count(const SampleTable& table);

 private:
  static constexpr std::size_t kWatched = 4;
  /// The last value of each watched counter; kUnknown until there was one.
  using Last = std::array<std::uint64_t, kWatched>;
  Last& last_of(const std::string& device);
  void mark(const SampleTable& table, std::size_t d, std::vector<std::uint8_t>& active);

  std::map<std::string, Last, std::less<>> last_;
};

}  // namespace laggard::archive
