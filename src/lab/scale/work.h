#pragma once

#include <cstdint>

namespace laggard::lab::scale {

/// How many requests of which size a LUN gets in an interval.
struct Requests {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  double read_sectors = 0;
  double write_sectors = 0;

  [[nodiscard]] std::uint64_t count() const { return reads + writes; }
  Requests& operator+=(const Requests& other) {
    reads += other.reads;
    writes += other.writes;
    read_sectors += other.read_sectors;
    write_sectors += other.write_sectors;
    return *this;
  }
};

/// Work that an attachment did in one interval. Waits are sums over the requests.
struct Work {
  Requests done;
  double read_ms = 0;
  double write_ms = 0;
  double busy_ms = 0;           ///< Time with at least one request in flight.
  std::uint64_t in_flight = 0;  ///< At the interval's end.

  [[nodiscard]] double waited_ms() const { return read_ms + write_ms; }
};

}  // namespace laggard::lab::scale
