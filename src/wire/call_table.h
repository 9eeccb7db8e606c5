#pragma once

/// The memory that a program with liblaggard-calls counts its calls in, and that `laggard record calls` reads
/// from outside: a file in memory (memfd) of the name kCallTableName, a CallTable and behind it `threads`
/// times a CallThread. Either side may be of another version, so that the layout has one.
///
/// The program alone writes, but for `until` and `generation`. Nothing is locked: a reader sees each number
/// whole, and may see some before and others after a call.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace laggard::wire {

inline constexpr char kCallTableName[] = "laggard-calls";
inline constexpr std::uint64_t kCallTableMagic = 0x314C4C4143474C00;  // "\0LGCALL1"
inline constexpr std::uint32_t kCallTableVersion = 2;

/// What its clock shows.
enum class CallClock : std::uint32_t {
  kMonotonicNs = 0,  ///< CLOCK_MONOTONIC.
  kTimeStamps = 1,   ///< The processor's counter: TSC, or CNTVCT_EL0.
};

/// What that clock shows now.
inline std::uint64_t read_clock(CallClock clock) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  if (clock == CallClock::kTimeStamps) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
  }
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Numbers that another process looks at meanwhile, or that a signal may interrupt.
using Shared32 = std::atomic<std::uint32_t>;
using Shared64 = std::atomic<std::uint64_t>;
static_assert(Shared64::is_always_lock_free && sizeof(Shared64) == 8 && sizeof(Shared32) == 4);

struct CallTable {
  static constexpr std::uint64_t kAlways = ~std::uint64_t{0};
  static constexpr std::uint32_t kMostThreads = 1024;

  std::uint64_t magic;
  std::uint32_t version;
  CallClock clock;
  std::uint32_t threads;     ///< There is room for so many.
  Shared32 threads_used;     ///< Those from here on were never taken.
  Shared64 until;            ///< Calls are counted until the clock shows this; zero: they are not counted.
  Shared32 generation;       ///< Another one whenever counting begins: stacks from before are out of date.
  Shared32 threads_refused;  ///< Threads for which there was no room.
  /// Of the clock; calls of functions that call nothing and always take less need not all be timed.
  std::uint64_t quick;
  std::uint64_t reserved[506];
};
static_assert(sizeof(CallTable) == 4096);

/// A function that a thread has called.
struct CallEntry {
  /// After so many quick calls in a row not each is timed.
  static constexpr std::uint16_t kLearned = 64;

  Shared64 function;  ///< Its address; zero: none yet.
  Shared64 calls;
  Shared64 ticks;  ///< Of the clock, in the function itself and not in what it called.
  // For the program itself: whether calls need be timed.
  std::uint32_t quick_sixteenths;  ///< What the quick ones took in the mean, in sixteenths of a tick.
  std::uint16_t quick_calls;       ///< So many of the last ones were quick, up to kLearned.
  std::uint16_t untimed_left;      ///< So many of the next ones are not timed.
};

/// A call under way.
struct CallFrame {
  /// In `entry`: its time is not measured, and the caller's runs on.
  static constexpr std::uint64_t kUntimed = std::uint64_t{1} << 63;

  Shared64 function;
  std::uint64_t stack;  ///< Where the stack was, which grows down.
  Shared64 entry;       ///< The function's, by index, and kUntimed or not.
};

/// What one thread counts; later the next thread that comes goes on with it.
struct CallThread {
  static constexpr std::size_t kEntries = 8192;
  static constexpr std::size_t kMostFunctions = kEntries / 8 * 7;  ///< More would be looked for too long.
  static constexpr std::size_t kDepth = 1024;
  /// Of functions for which there was no room.
  static constexpr std::size_t kOthers = 0;

  Shared32 taken;       ///< By a thread that lives.
  Shared32 generation;  ///< Of the stack.
  Shared64 since;       ///< From when on the time of the topmost timed call is not yet added.
  Shared64 depth;       ///< Calls under way.
  Shared64 skipped;     ///< Calls that were not counted: a signal came while one was.
  Shared64 forgotten;   ///< Calls of which the time was lost: the stack was too deep.
  std::uint64_t used;   ///< Entries with a function.
  std::uint64_t reserved[2];
  CallEntry entries[kEntries];
  CallFrame frames[kDepth];
};
static_assert(sizeof(CallThread) == 64 + 32 * CallThread::kEntries + 24 * CallThread::kDepth);

}  // namespace laggard::wire
