// What compilers call at the begin and the end of every function (-finstrument-functions).
//
// It may run anywhere: before main, in handlers of signals, in threads that end, in forked children. So it
// allocates nothing, locks nothing, and never fails; what it cannot count it says so in the table.

#include <pthread.h>
#include <unistd.h>

#include "tracee/call_region.h"
#include "tracee/call_stack.h"
#include "tracee/this_thread.h"

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

using wire::CallTable;
using wire::CallThread;

// Compilers call us by name, and hand nothing in.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
pthread_key_t ending;

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

void end_hook() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.in_hook = 0;
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

/// What most calls are, without a call of its own: nothing is to be done but to count.
template <class Count>
bool count_untimed(const CallTable& table, std::uintptr_t here, const Count& count) {
  CallThread* thread = self.place;
  if (thread == nullptr || self.in_hook != 0) return false;
  self.in_hook = here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool is_done = thread->generation.load(kRelaxed) == table.generation.load(kRelaxed) && count(*thread);
  end_hook();
  return is_done;
}

[[gnu::noinline]] void enter(CallTable& table, std::uint64_t function, std::uintptr_t here) {
  if (!begin_hook(here)) {
    if (self.place != nullptr) add(self.place->skipped, 1);
    return;
  }
  if (CallThread* thread = self.place != nullptr ? self.place : begin_thread(table)) {
    const std::uint32_t generation = table.generation.load(kRelaxed);
    if (thread->generation.load(kRelaxed) != generation) [[unlikely]]
      begin_again(*thread, generation);
    begin_call(table, *thread, function, here);
  }
  end_hook();
}

[[gnu::noinline]] void leave(CallTable& table, std::uint64_t function, std::uintptr_t here) {
  if (self.place == nullptr || !begin_hook(here)) return;
  if (self.place->generation.load(kRelaxed) == table.generation.load(kRelaxed)) {
    end_call(table, *self.place, function);
  }
  end_hook();
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

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
constinit thread_local ThisThread self;

}  // namespace laggard::tracee

void function_enter(void* function, void* /*caller*/) {
  using namespace laggard::tracee;
  CallTable& table = *call_table;
  if (table.until.load(kRelaxed) == 0) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto address = reinterpret_cast<std::uint64_t>(function);
  const auto begin = [&](CallThread& thread) {
    if (!begin_untimed(thread, address, here)) return false;
    self.leaf = 0;
    return true;
  };
  if (!count_untimed(table, here, begin)) enter(table, address, here);
}

void function_exit(void* function, void* /*caller*/) {
  using namespace laggard::tracee;
  CallTable& table = *call_table;
  if (table.until.load(kRelaxed) == 0) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto address = reinterpret_cast<std::uint64_t>(function);
  const auto end = [&](CallThread& thread) { return end_untimed(thread, address); };
  if (!count_untimed(table, here, end)) leave(table, address, here);
}
