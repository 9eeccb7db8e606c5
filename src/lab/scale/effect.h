#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/scale/site.h"

namespace laggard::lab::scale {

/// Seconds since the recording began.
using Seconds = std::int64_t;
inline constexpr Seconds kHour = 3600;
inline constexpr Seconds kDay = 24 * kHour;

/// How an attachment is lost (T §5.7.1): its block device is gone, or there and not used.
enum class Lost : std::uint8_t { kNot, kUnused, kAbsent };

/// What becomes of the waits of requests. Those of healthy LUNs are left as they are by the defaults.
struct Slowness {
  double read_factor = 1;
  double write_factor = 1;
  double added_ms = 0;      ///< To every request.
  double hit_fraction = 0;  ///< Of the requests run into an error that is retried (T §5.7.2) ...
  double hit_ms = 0;        ///< ... and wait that much longer, on average (exponential).
};

/// Requests besides those that the file system spreads over all LUNs; they wait as those do.
struct RequestRate {
  double reads_per_s = 0;
  double writes_per_s = 0;
};

/// Requests of one size that each wait about as long, whatever else the LUN does.
struct FixedRequests {
  RequestRate rate;
  double sectors = 8;
  double wait_ms = 0.5;
};

/// What happens to some LUNs of one array, as seen through some of its servers, in (from, to].
struct Effect {
  Seconds from = 0;
  Seconds to = 0;
  std::size_t array = 0;
  LunMask luns;
  /// Whose attachments are lost or see `at_servers`; the rest of an effect holds for whoever serves the LUN.
  ServerMask servers;
  Lost lost = Lost::kNot;
  Slowness slow;
  RequestRate load;
  std::optional<FixedRequests> at_servers;  ///< Through each of `servers`, whatever the priorities.
  bool stalled = false;                     ///< Nothing completes; what waits completes at the end.

  [[nodiscard]] bool covers(Seconds t) const { return from < t && t <= to; }
};

/// A server that is down: it records nothing and serves nothing. Its counters begin anew when it is back.
struct Outage {
  std::size_t array = 0;
  std::size_t server = 0;  ///< Of the array.
  Seconds from = 0;
  Seconds to = 0;
};

/// Small requests of a file server's own (T §5.8.2): through its own attachments whatever their priority,
/// through the primaries of all other LUNs.
struct ServerWork {
  std::size_t array = 0;
  std::size_t server = 0;
  Seconds from = 0;
  Seconds to = 0;
  std::optional<std::size_t> pool;  ///< Only on LUNs of sets of this pool.
  FixedRequests requests;
};

/// A server's clock is set: its sample times are off by `by` seconds from then on (T §5.9).
struct ClockStep {
  std::size_t array = 0;
  std::size_t server = 0;
  Seconds at = 0;
  Seconds by = 0;
};

}  // namespace laggard::lab::scale
