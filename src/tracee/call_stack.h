#pragma once

#include <cstdint>

#include "tracee/this_thread.h"
#include "wire/call_table.h"

// The calls of a thread that are under way, and what each has counted.
//
// To read the clock twice costs more than all the rest. So a function that calls nothing and took less than
// CallTable::quick each of the last kLearned times is counted every time and timed every eighth time. The
// other calls stand for as much as the timed ones took in the mean, and that is taken off the caller's time,
// whose clock runs on. A function that takes longer for once, as one that waits for a lock, is timed each
// time until it is learned anew.

namespace laggard::tracee {

/// A call begins at a place of the stack, or counting is over and is switched off.
void begin_call(wire::CallTable& table, wire::CallThread& thread, std::uint64_t function,
                std::uintptr_t here);
/// One returns. A function that is not there was begun before counting was, or on another thread; those above
/// it were left by an exception or longjmp.
void end_call(const wire::CallTable& table, wire::CallThread& thread, std::uint64_t function);

/// Where the table has a function, unless another one is there.
inline std::uint64_t first_place_of(std::uint64_t function) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // Of Fibonacci hashing.
  constexpr unsigned kShift = 64 - 13;
  static_assert(wire::CallThread::kEntries == std::size_t{1} << 13);
  return (function * kFactor) >> kShift;
}

/// The same for a call that need not be timed, in few instructions. \return whether it was one, and nothing
/// unusual had happened to the stack; else nothing is done.
inline bool begin_untimed(wire::CallThread& thread, std::uint64_t function, std::uintptr_t here) {
  const std::uint64_t at = first_place_of(function);
  wire::CallEntry& entry = thread.entries[at];
  if (entry.untimed_left == 0 || entry.function.load(kRelaxed) != function) return false;
  const std::uint64_t depth = thread.depth.load(kRelaxed);
  if (depth == wire::CallThread::kDepth || (depth > 0 && thread.frames[depth - 1].stack < here)) return false;
  --entry.untimed_left;
  add(entry.calls, 1);
  wire::CallFrame& frame = thread.frames[depth];
  frame.function.store(function, kRelaxed);
  frame.stack = here;
  frame.entry.store(at | wire::CallFrame::kUntimed, kRelaxed);
  thread.depth.store(depth + 1, kRelaxed);
  return true;
}

inline bool end_untimed(wire::CallThread& thread, std::uint64_t function) {
  const std::uint64_t depth = thread.depth.load(kRelaxed);
  if (depth == 0) return false;
  const wire::CallFrame& top = thread.frames[depth - 1];
  const std::uint64_t at = top.entry.load(kRelaxed);
  if (top.function.load(kRelaxed) != function || at < wire::CallFrame::kUntimed) return false;
  wire::CallEntry& entry = thread.entries[at & ~wire::CallFrame::kUntimed];
  // What is left of the eight rounds it up or down.
  const std::uint64_t ticks = (entry.quick_sixteenths + 2U * entry.untimed_left + 1) / 16;
  add(entry.ticks, ticks);
  add(thread.since, ticks);
  thread.depth.store(depth - 1, kRelaxed);
  return true;
}

}  // namespace laggard::tracee
