#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace laggard::collect {

/// The first line of a sample that `perf script` wrote, taken apart. Views are of the line.
struct PerfHead {
  std::string_view comm;                ///< The thread's name; empty where it was not written.
  Duration moment{};                    ///< Of the clock that perf used, mostly since boot.
  std::optional<std::uint64_t> period;  ///< How many of the event one sample stands for.
  std::string_view event;               ///< `cpu-clock`, `cycles`, `sched:sched_switch`: without modifiers.
  std::string_view rest;  ///< Behind the event: of samples without a call chain, their function.
};

/// One function of a call chain, or that of a sample without one.
struct PerfFrame {
  std::string_view function;  ///< Without its offset; empty: unknown.
  std::string_view object;    ///< The file that it is in, as perf writes it; empty: unknown.
  bool is_inlined = false;    ///< The compiler put it into the function of the next frame.
};

/// Nothing where there is no time, which all samples have: `COMM PID/TID [CPU] FLAGS TIME: PERIOD EVENT:
/// REST`, of which everything but the time may be missing (perf script -F). Names of threads may hold blanks.
[[nodiscard]] std::optional<PerfHead> parse_perf_head(std::string_view line);

/// `ADDRESS FUNCTION+0xOFFSET (OBJECT)`. Nothing where there is neither an address nor an object, as in the
/// lines of sources (-F srcline).
[[nodiscard]] std::optional<PerfFrame> parse_perf_frame(std::string_view text);

/// The event's name without modifiers (`cycles:ppp`) and without the unit that counts it
/// (`cpu_core/cycles/u`).
[[nodiscard]] std::string_view event_name(std::string_view event);

/// Whether an event happens at some place of a program (`sched:sched_switch`), so that its samples do not
/// tell where processors spend time.
[[nodiscard]] bool is_tracepoint(std::string_view event);

}  // namespace laggard::collect
