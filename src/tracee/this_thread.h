#pragma once

#include <cstdint>

#include "wire/call_table.h"

namespace laggard::tracee {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// What a thread knows of itself.
struct ThisThread {
  wire::CallThread* place = nullptr;
  std::uintptr_t in_hook = 0;    ///< Where its stack was when a hook began that has not ended.
  std::uintptr_t stack_end = 0;  ///< The highest address of its stack.
  std::uint64_t leaf = 0;        ///< The depth of the call on top, if it is timed and has called nothing yet.
  std::uint64_t leaf_began = 0;  ///< When that was called.
  bool is_over = false;          ///< The thread ends, or there is no place for it.
};
// Compilers call us by name, and hand nothing in.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern constinit thread_local ThisThread self;

inline void add(wire::Shared64& to, std::uint64_t more) { to.store(to.load(kRelaxed) + more, kRelaxed); }

/// Whether two places are on the thread's own stack and the first is deeper: then its function was left. Of
/// other stacks, of coroutines or for signals, nothing is known.
inline bool was_left(std::uintptr_t deeper, std::uintptr_t here) {
  constexpr std::uintptr_t kStackBytes = std::uintptr_t{8} << 20;
  return deeper < here && here < self.stack_end && self.stack_end - deeper < kStackBytes;
}

}  // namespace laggard::tracee
