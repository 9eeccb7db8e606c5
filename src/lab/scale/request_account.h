#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "lab/sim/raid.h"

namespace laggard::lab::scale {

/// What an attachment did in one interval. Waits are sums over the requests that ended in it.
struct Work {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  double read_sectors = 0;
  double write_sectors = 0;
  double read_ms = 0;
  double write_ms = 0;
  double busy_ms = 0;           ///< Time with at least one request in flight.
  double weighted_ms = 0;       ///< Requests times the time that they were in flight.
  std::uint64_t in_flight = 0;  ///< At the interval's end.

  [[nodiscard]] bool is_idle() const { return busy_ms <= 0; }
};

/// Requests that were sent at the same time and are answered one after the other, evenly from the first to
/// the last.
struct SentRequests {
  SimTime at{};
  Served served;
  std::uint32_t requests = 1;
  bool write = false;
  double sectors_each = 0;
};

/// Counts requests as the kernel does: those that ended when they ended, and those in flight for as long as
/// they were. Requests must be added in the order of their times, those of an interval before it is closed.
class RequestAccount {
 public:
  void add(const SentRequests& sent);

  /// The work since the last call, up to `now`.
  [[nodiscard]] Work close(SimTime now);

  /// The device is gone, and with it what was in flight.
  void forget();

 private:
  static void settle(const SentRequests& sent, SimTime from, SimTime to, Work& work);
  [[nodiscard]] SimTime busy_up_to(SimTime now) const;

  std::vector<SentRequests> open_;  ///< Sent in this interval, or in flight when it began.
  SimTime closed_at_{};
  SimTime busy_since_{};  ///< The last stretch with something in flight ...
  SimTime busy_until_{};
  SimTime busy_before_{};  ///< ... and the sum of those before.
  SimTime busy_told_{};    ///< Of it all, what has been reported.
};

}  // namespace laggard::lab::scale
