#include "tracee/call_stack.h"

namespace laggard::tracee {

namespace {

using wire::CallEntry;
using wire::CallFrame;
using wire::CallTable;
using wire::CallThread;

/// The time until now is added to the topmost timed call. Untimed ones above it have called something, or
/// were left in another way than by returning.
void charge(CallThread& thread, std::uint64_t depth, std::uint64_t now) {
  // Ticks; the clock of a machine that is restored may be behind by more.
  constexpr std::uint64_t kAhead = std::uint64_t{1} << 32;
  const std::uint64_t since = thread.since.load(kRelaxed);
  // What untimed calls took, or a processor's counter that differs a little, may be ahead.
  if (now <= since && since - now < kAhead) return;
  thread.since.store(now, kRelaxed);
  for (; depth > 0; --depth) {
    const std::uint64_t at = thread.frames[depth - 1].entry.load(kRelaxed);
    CallEntry& entry = thread.entries[at & ~CallFrame::kUntimed];
    if (at < CallFrame::kUntimed) [[likely]] {
      if (now > since) add(entry.ticks, now - since);
      return;
    }
    entry.quick_calls = entry.untimed_left = 0;
  }
}

/// Of a call that has called nothing.
void learn(CallEntry& entry, std::uint64_t ticks, std::uint64_t quick) {
  constexpr std::uint16_t kUntimed = 7;  // Of eight.
  constexpr std::int64_t kShare = 16;
  if (ticks >= quick) {
    entry.quick_calls = 0;
    return;
  }
  const auto sixteenths = static_cast<std::int64_t>(16 * ticks);
  const auto mean = static_cast<std::int64_t>(entry.quick_sixteenths);
  entry.quick_sixteenths =
      static_cast<std::uint32_t>(entry.quick_calls == 0 ? sixteenths : mean + (sixteenths - mean) / kShare);
  if (entry.quick_calls < CallEntry::kLearned) {
    ++entry.quick_calls;
  } else {
    entry.untimed_left = kUntimed;
  }
}

std::uint64_t entry_of(CallThread& thread, std::uint64_t function) {
  for (std::uint64_t at = first_place_of(function);; at = (at + 1) % CallThread::kEntries) {
    if (at == CallThread::kOthers) continue;
    CallEntry& entry = thread.entries[at];
    const std::uint64_t there = entry.function.load(kRelaxed);
    if (there == function) return at;
    if (there != 0) continue;
    if (thread.used == CallThread::kMostFunctions) return CallThread::kOthers;
    ++thread.used;
    entry.function.store(function, kRelaxed);
    return at;
  }
}

/// The outer half makes room; the time of those calls is not known when they return.
[[gnu::noinline, gnu::cold]] std::uint64_t forget_outer_half(CallThread& thread) {
  constexpr std::uint64_t kHalf = CallThread::kDepth / 2;
  for (std::uint64_t i = 0; i < kHalf; ++i) {
    const CallFrame& from = thread.frames[kHalf + i];
    CallFrame& to = thread.frames[i];
    to.function.store(from.function.load(kRelaxed), kRelaxed);
    to.stack = from.stack;
    to.entry.store(from.entry.load(kRelaxed), kRelaxed);
  }
  add(thread.forgotten, kHalf);
  return kHalf;
}

/// The calls without those that longjmp left, which never return. A function that is inlined has the place of
/// its caller, so that one of the same place was left only if it is the same function and a deeper one was.
[[gnu::noinline, gnu::cold]] std::uint64_t without_left(const CallThread& thread, std::uint64_t depth,
                                                        std::uint64_t function, std::uintptr_t here) {
  bool is_left = false;
  for (; depth > 0; --depth) {
    const CallFrame& top = thread.frames[depth - 1];
    const bool is_same = is_left && top.stack == here && top.function.load(kRelaxed) == function;
    if (!is_same && !was_left(top.stack, here)) break;
    is_left = true;
  }
  return depth;
}

/// Whoever switched counting on has gone.
[[gnu::noinline, gnu::cold]] void switch_off(CallTable& table, std::uint64_t until) {
  table.until.compare_exchange_strong(until, 0, kRelaxed);
}

}  // namespace

void begin_call(CallTable& table, CallThread& thread, std::uint64_t function, std::uintptr_t here) {
  const std::uint64_t now = wire::read_clock(table.clock);
  if (const std::uint64_t until = table.until.load(kRelaxed); now >= until) [[unlikely]] {
    return switch_off(table, until);
  }
  std::uint64_t depth = thread.depth.load(kRelaxed);
  charge(thread, depth, now);
  if (depth > 0 && thread.frames[depth - 1].stack < here) [[unlikely]] {
    depth = without_left(thread, depth, function, here);
  }
  if (depth == CallThread::kDepth) [[unlikely]]
    depth = forget_outer_half(thread);
  const std::uint64_t at = entry_of(thread, function);
  add(thread.entries[at].calls, 1);
  CallFrame& frame = thread.frames[depth];
  frame.function.store(function, kRelaxed);
  frame.stack = here;
  frame.entry.store(at, kRelaxed);
  thread.depth.store(depth + 1, kRelaxed);
  self.leaf = depth + 1;
  self.leaf_began = now;
}

void end_call(const CallTable& table, CallThread& thread, std::uint64_t function) {
  const std::uint64_t depth = thread.depth.load(kRelaxed);
  if (depth == 0) return;
  const std::uint64_t now = wire::read_clock(table.clock);
  charge(thread, depth, now);
  const bool is_leaf = self.leaf == depth;
  self.leaf = 0;
  for (std::uint64_t i = depth; i > 0; --i) {
    const CallFrame& frame = thread.frames[i - 1];
    if (frame.function.load(kRelaxed) != function) continue;
    thread.depth.store(i - 1, kRelaxed);
    const std::uint64_t at = frame.entry.load(kRelaxed);
    // Other functions share kOthers, and are not learned.
    if (at == CallThread::kOthers || at >= CallFrame::kUntimed) return;
    const bool has_called = i != depth || !is_leaf;
    return learn(thread.entries[at], has_called ? table.quick : now - self.leaf_began, table.quick);
  }
}

}  // namespace laggard::tracee
