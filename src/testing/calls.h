#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <random>

#include "derive/derivation_table.h"
#include "model/event.h"

/// Events that samples can be derived from: calls of a client, which are to their host what requests are to a
/// disk.
namespace laggard::testing_support {

inline constexpr std::array kCallCounters{
    derive::DerivedCounter{.name = "rd_ios", .what = "read"},
    derive::DerivedCounter{.name = "rd_ms", .counted = derive::Counted::kDurations, .what = "read"},
    derive::DerivedCounter{.name = "wr_ios", .what = "write"},
    derive::DerivedCounter{.name = "wr_ms", .counted = derive::Counted::kDurations, .what = "write"},
};
inline constexpr std::array kCallTable{
    derive::Derivation{.events = "rpc", .device = "rpc", .counters = kCallCounters}};

/// Ten calls in the second that begins at `from`, of 10 to 29 ms, or four times as long where they are slow.
inline void add_calls(EventTable& table, WallTime from, bool slow, std::mt19937_64& random) {
  for (int call = 0; call < 10; ++call) {
    const Duration within{static_cast<std::int64_t>(random() % 1'000'000'000)};
    const auto took_ms = static_cast<std::int64_t>((10 + random() % 20) * (slow ? 4 : 1));
    const Word what = table.intern(random() % 2 == 0 ? "read" : "write").value();
    table.append({.time = from + within, .duration = std::chrono::milliseconds(took_ms), .what = what});
  }
}

}  // namespace laggard::testing_support
