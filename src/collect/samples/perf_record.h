#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "collect/samples/process_maps.h"

namespace laggard::collect {

/// A record as the kernel writes it, in words of eight bytes, the header first (perf_event_open(2)).
using PerfWords = std::span<const std::uint64_t>;

/// A processor was seen at work.
struct PerfSample {
  std::uint32_t process = 0;  ///< Zero: the processor was idle, or between programs.
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  bool is_kernel = false;
  /// With marks of the kernel (perf_callchain_context) among the addresses, innermost first; empty where
  /// chains are not asked for.
  PerfWords chain;
};

/// A process mapped a piece of code.
struct PerfMapped {
  std::uint32_t process = 0;
  Mapping mapping;
};

/// A thread was named, or executes another program.
struct PerfNamed {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::string_view name;
  bool executes = false;
};

struct PerfForked {
  std::uint32_t process = 0;
  std::uint32_t parent = 0;  ///< The same process for a new thread.
};

struct PerfExited {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
};

/// Records found no room.
struct PerfLost {
  std::uint64_t count = 0;
};

/// The kernel held sampling back for a moment.
struct PerfThrottled {};

/// The kernel has got or lost code, such as a program of BPF.
struct PerfKernelChanged {};

/// std::monostate: of no interest, or it makes no sense.
using PerfRecord = std::variant<std::monostate, PerfSample, PerfMapped, PerfNamed, PerfForked, PerfExited,
                                PerfLost, PerfThrottled, PerfKernelChanged>;

/// Events must be opened with PERF_SAMPLE_IP, TID and TIME, perhaps CALLCHAIN, and with sample_id_all. Views
/// are into `words`.
/// \param has_chains  whether samples have call chains.
[[nodiscard]] PerfRecord parse_perf_record(PerfWords words, bool has_chains);

/// Where a record lies among others, and when it was made by the clock of the events.
struct PerfEntry {
  std::uint64_t time = 0;
  std::size_t begin = 0;
  std::size_t size = 0;  ///< In words.
};

/// The records that lie one after the other in `words`, in the order of their times: those of one processor
/// may tell what those of another one are about. What makes no sense as a header ends the list.
[[nodiscard]] std::vector<PerfEntry> perf_records_in(PerfWords words);

}  // namespace laggard::collect
