#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/counter.h"

/// Recorded samples to time-series servers: the archive is the queue, what leaves is remembered.
namespace laggard::send {

/// As servers keep it: times are whole milliseconds, values doubles.
struct Sample {
  std::int64_t ms = 0;
  double value = 0;
  bool operator==(const Sample&) const = default;
};

/// Names and values, sorted by name.
using Labels = std::vector<std::pair<std::string, std::string>>;

struct Series {
  Labels labels;
  std::vector<Sample> samples;  ///< In order of time, one a millisecond.
};

/// What recorders append to in order of time, and so what a position can be of.
struct StreamKey {
  std::string host;
  DeviceKind kind = DeviceKind::kDisk;
  auto operator<=>(const StreamKey&) const = default;
};

}  // namespace laggard::send
