#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/event.h"

namespace laggard::derive {

/// The kind of events that all other calls are, where they are written (cmd/call_ring.h).
inline constexpr std::string_view kOtherCallsKind = "syscall-rest";

/// A call that took so long is kept.
inline constexpr Duration kNotablyLong = std::chrono::seconds(1);

/// Which events of a table of system calls are needed one by one, where of all others counts are kept
/// (CallCounts): those that S §7 looks at.
///
/// - calls that failed, but for those that found nothing to do (EAGAIN) or are made again (EINTR);
/// - calls that took kNotablyLong or were not seen to return, signals, ends of threads, and marks;
/// - of each TCP connection, reads at its end and closes, and in each second its last read and the first
///   write behind it, so that it is known since when an answer is owed.
///
/// \return their numbers, which grow
[[nodiscard]] std::vector<std::uint32_t> notable_calls(const EventTable& calls);

}  // namespace laggard::derive
