#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/scale/incident.h"
#include "lab/scale/plan.h"
#include "lab/sim/random.h"

namespace laggard::lab::scale {

/// The number and size of the requests to a LUN in an interval.
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

/// The work of an attachment in one interval. Waits are sums over the requests.
struct Work {
  Requests done;
  double read_ms = 0;
  double write_ms = 0;
  double busy_ms = 0;           ///< Time with at least one request in flight.
  std::uint64_t in_flight = 0;  ///< At the interval's end.

  [[nodiscard]] double waited_ms() const { return read_ms + write_ms; }
};

/// Requests per second that the file system sends to every LUN of a pool: it stripes over them, so that they
/// share the load (T §5.1.1). Light and bursty, as T §6.2.1 found Intrepid: jobs come and go; they write
/// checkpoints in bursts or read for a while, with next to nothing in between.
class FileSystemLoad {
 public:
  FileSystemLoad(const ScaleSpec& spec, std::size_t pool);

  /// Means over the interval that ends with sample `i` (1 .. samples-1), for a LUN of weight 1.
  [[nodiscard]] double reads(std::size_t i) const { return reads_[i]; }
  [[nodiscard]] double writes(std::size_t i) const { return writes_[i]; }

 private:
  void add_job(const ScaleSpec& spec, Random& random);
  /// Adds `rate` to `series` during [from, to) seconds.
  void add(std::vector<double>& series, double rate, double from, double to) const;

  double interval_;
  std::vector<double> reads_;
  std::vector<double> writes_;
};

/// How a LUN serves requests during an interval.
struct Service {
  Slowness slow;
  double factor = 1;  ///< How much slower than others its hardware is.
  double interval_ms = 0;
};

/// Adds `requests` on a LUN during an interval, with their waits, to an attachment's work.
///
/// A read waits 9 ms, a write 3 ms (the controllers' cache takes it), times the LUN's own factor, longer
/// with the load: times 1 + 2 rho, where rho is the share of the time for which a quarter of the spindles
/// would be busy, at most 3. The mean of n requests scatters by a log-normal factor of sigma 0.8 / sqrt(n).
/// `service.slow` comes on top.
void serve(Random& random, Work& work, const Requests& requests, const Service& service);

/// Adds requests that each wait about `wait_ms`, whatever else happens.
void add_fixed(Random& random, Work& work, const Requests& requests, double wait_ms);

/// Derives from the waits the busy time and the requests in flight at the end.
void settle(Random& random, Work& work, double interval_ms);

}  // namespace laggard::lab::scale
