// What compilers call at the begin and the end of every function (-finstrument-functions).
//
// It may run anywhere: before main, in handlers of signals, in threads that end, in forked children. So it
// allocates nothing, locks nothing, and never fails; what it cannot count it says so in the table.

#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "tracee/call_region.h"

// The compilers' names, and glibc's.
extern "C" {
[[gnu::visibility("default")]] void function_enter(void* function,
                                                   void* caller) asm("__cyg_profile_func_enter");
[[gnu::visibility("default")]] void function_exit(void* function,
                                                  void* caller) asm("__cyg_profile_func_exit");
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern void* end_of_first_stack asm("__libc_stack_end");
}

namespace laggard::tracee {

namespace {

using wire::CallEntry;
using wire::CallFrame;
using wire::CallTable;
using wire::CallThread;

constexpr auto kRelaxed = std::memory_order_relaxed;

/// What a thread knows of itself.
struct ThisThread {
  CallThread* place = nullptr;
  std::uintptr_t in_hook = 0;    ///< Where its stack was when a hook began that has not ended.
  std::uintptr_t stack_end = 0;  ///< The highest address of its stack.
  bool is_over = false;          ///< It ends, or there is no place for it.
};
// Compilers call us by name, and hand nothing in.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
thread_local ThisThread self;

pthread_key_t ending;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void add(wire::Shared64& to, std::uint64_t more) { to.store(to.load(kRelaxed) + more, kRelaxed); }

/// Whether two places are on the thread's own stack and the first is deeper: then its function was left. Of
/// other stacks, of coroutines or for signals, nothing is known.
bool was_left(std::uintptr_t deeper, std::uintptr_t here) {
  constexpr std::uintptr_t kStackBytes = std::uintptr_t{8} << 20;
  return deeper < here && here < self.stack_end && self.stack_end - deeper < kStackBytes;
}

/// Its time until now is added to the call on top.
void charge(CallThread& thread, std::uint64_t depth, std::uint64_t now) {
  const CallFrame& top = thread.frames[depth - 1];
  const std::uint64_t since = thread.since.load(kRelaxed);
  // Processors' counters may differ a little.
  if (now > since) add(thread.entries[top.entry.load(kRelaxed)].ticks, now - since);
}

std::uint64_t entry_of(CallThread& thread, std::uint64_t function) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // Of Fibonacci hashing.
  constexpr unsigned kShift = 64 - 13;
  static_assert(CallThread::kEntries == std::size_t{1} << 13);
  for (std::uint64_t at = (function * kFactor) >> kShift;; at = (at + 1) % CallThread::kEntries) {
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

void push(CallThread& thread, std::uint64_t function, std::uintptr_t here, std::uint64_t now) {
  std::uint64_t depth = thread.depth.load(kRelaxed);
  if (depth > 0) {
    charge(thread, depth, now);
    if (thread.frames[depth - 1].stack < here) [[unlikely]] {
      depth = without_left(thread, depth, function, here);
    }
  }
  if (depth == CallThread::kDepth) [[unlikely]]
    depth = forget_outer_half(thread);
  const std::uint64_t entry = entry_of(thread, function);
  add(thread.entries[entry].calls, 1);
  CallFrame& frame = thread.frames[depth];
  frame.function.store(function, kRelaxed);
  frame.stack = here;
  frame.entry.store(entry, kRelaxed);
  thread.since.store(now, kRelaxed);
  thread.depth.store(depth + 1, kRelaxed);
}

/// A function that is not there was begun before counting was, or on another thread. Those above the one that
/// returns were left by an exception or longjmp.
void pop(CallThread& thread, std::uint64_t function, std::uint64_t now) {
  const std::uint64_t depth = thread.depth.load(kRelaxed);
  if (depth == 0) return;
  charge(thread, depth, now);
  thread.since.store(now, kRelaxed);
  for (std::uint64_t i = depth; i > 0; --i) {
    if (thread.frames[i - 1].function.load(kRelaxed) != function) continue;
    thread.depth.store(i - 1, kRelaxed);
    return;
  }
}

/// Gives the thread a place; null when there is none.
[[gnu::noinline, gnu::cold]] CallThread* begin_thread(CallTable& table) {
  if (self.is_over) return nullptr;
  self.place = take_place(table);
  self.is_over = self.place == nullptr;
  if (self.is_over) return nullptr;
  // The C library keeps what it knows of a thread at the high end of its stack.
  const bool is_first = ::gettid() == ::getpid();
  self.stack_end = is_first ? reinterpret_cast<std::uintptr_t>(end_of_first_stack)
                            : static_cast<std::uintptr_t>(::pthread_self());
  self.place->generation.store(0, kRelaxed);
  ::pthread_setspecific(ending, self.place);
  return self.place;
}

/// Calls from before counting began are not known to have returned.
[[gnu::noinline, gnu::cold]] void begin_again(CallThread& thread, std::uint32_t generation) {
  thread.depth.store(0, kRelaxed);
  thread.generation.store(generation, kRelaxed);
}

/// A hook that is interrupted by a handler of a signal is not begun again in it. One that a handler left by
/// longjmp is over.
bool begin_hook(std::uintptr_t here) {
  if (self.in_hook != 0 && !was_left(self.in_hook, here)) [[unlikely]]
    return false;
  self.in_hook = here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return true;
}

void end_hook() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.in_hook = 0;
}

/// Whoever switched counting on has gone.
[[gnu::noinline, gnu::cold]] void switch_off(CallTable& table, std::uint64_t until) {
  table.until.compare_exchange_strong(until, 0, kRelaxed);
}

void thread_ends(void* place) {
  self.is_over = true;
  self.place = nullptr;
  give_back(*static_cast<CallThread*>(place));
}

[[gnu::constructor(102)]] void prepare() {
  ::pthread_key_create(&ending, &thread_ends);
  set_forget_thread([] {
    self = ThisThread{};
    ::pthread_setspecific(ending, nullptr);
  });
}

}  // namespace

}  // namespace laggard::tracee

void function_enter(void* function, void* /*caller*/) {
  using namespace laggard::tracee;
  laggard::wire::CallTable& table = *call_table;
  const std::uint64_t until = table.until.load(kRelaxed);
  if (until == 0) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!begin_hook(here)) {
    if (self.place != nullptr) add(self.place->skipped, 1);
    return;
  }
  const std::uint64_t now = laggard::wire::read_clock(table.clock);
  if (now >= until) [[unlikely]] {
    switch_off(table, until);
  } else if (laggard::wire::CallThread* thread = self.place != nullptr ? self.place : begin_thread(table)) {
    const std::uint32_t generation = table.generation.load(kRelaxed);
    if (thread->generation.load(kRelaxed) != generation) [[unlikely]]
      begin_again(*thread, generation);
    push(*thread, reinterpret_cast<std::uint64_t>(function), here, now);
  }
  end_hook();
}

void function_exit(void* function, void* /*caller*/) {
  using namespace laggard::tracee;
  laggard::wire::CallTable& table = *call_table;
  if (table.until.load(kRelaxed) == 0 || self.place == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!begin_hook(here)) return;
  laggard::wire::CallThread& thread = *self.place;
  if (thread.generation.load(kRelaxed) == table.generation.load(kRelaxed)) {
    pop(thread, reinterpret_cast<std::uint64_t>(function), laggard::wire::read_clock(table.clock));
  }
  end_hook();
}
