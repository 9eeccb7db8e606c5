#include "lab/sim/disk_geometry.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab {

double seek_ms(const DiskGeometry& disk, std::int64_t from, std::int64_t to) {
  if (from == to) return 0;
  const double distance = std::abs(static_cast<double>(to - from)) / disk.capacity_bytes;
  return disk.track_seek_ms + disk.long_seek_ms * std::sqrt(std::min(distance, 1.0));
}

double transfer_ms(const DiskGeometry& disk, std::int64_t at, std::int64_t bytes) {
  const double inward = std::clamp(static_cast<double>(at) / disk.capacity_bytes, 0.0, 1.0);
  const double rate =
      disk.outer_bytes_per_second + inward * (disk.inner_bytes_per_second - disk.outer_bytes_per_second);
  return 1e3 * static_cast<double>(bytes) / (rate * disk.speed);
}

}  // namespace laggard::lab
