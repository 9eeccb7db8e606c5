#include "tracee/call_region.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace laggard::tracee {

namespace {

using wire::CallClock;
using wire::CallTable;
using wire::CallThread;

// Whoever counts was called by name, and nobody could hand it anything.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)

/// In place of one that cannot be made.
CallTable switched_off{};
std::uint64_t table_bytes = 0;
void (*forget_thread)() = nullptr;

// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Whether the processor counts at one rate, whatever it does.
bool has_steady_time_stamps() {
#if defined(__x86_64__)
  constexpr unsigned kAdvancedPower = 0x80000007;
  constexpr unsigned kInvariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kAdvancedPower, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

/// Less than a system call takes with its hooks, so that what may wait in the kernel is always timed. Other
/// processors' counters are too coarse to tell.
std::uint64_t quick_of(CallClock clock) {
  constexpr std::uint64_t kTimeStamps = 256;  // At 2 to 5 GHz 50 to 130 ns.
  constexpr std::uint64_t kNs = 100;
#if defined(__x86_64__)
  if (clock == CallClock::kTimeStamps) return kTimeStamps;
#endif
  return clock == CallClock::kMonotonicNs ? kNs : 0;
}

/// A file in memory of that size, mapped; null when there can be none. Pages that nobody writes to take no
/// room. It is sealed, so that nobody who reads it is surprised by its end.
void* map_region(std::uint64_t bytes) {
  const int file = ::memfd_create(wire::kCallTableName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return nullptr;
  void* at = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  }
  // Daemons close all descriptors, and the number would be another file's then.
  ::close(file);
  return at == MAP_FAILED ? nullptr : at;
}

std::uint64_t limit_of(int resource) {
  rlimit limit{};
  return ::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0 ? limit.rlim_cur : 0;
}

/// To make a larger file than a file may be would end the program (SIGXFSZ), and of its address space it
/// needs most for itself.
std::uint64_t most_bytes() {
  constexpr std::uint64_t kShare = 16;
  const std::uint64_t address_space = limit_of(RLIMIT_AS);
  return std::min(limit_of(RLIMIT_FSIZE),
                  address_space == RLIM_INFINITY ? address_space : address_space / kShare);
}

/// A limit of memory or of files may leave room for fewer threads.
void make_table(std::uint64_t until) {
  const std::uint64_t most = most_bytes();
  for (std::uint32_t threads = CallTable::kMostThreads; threads > 0; threads /= 4) {
    const std::uint64_t bytes = sizeof(CallTable) + threads * sizeof(CallThread);
    void* at = bytes <= most ? map_region(bytes) : nullptr;
    if (at == nullptr) continue;
    auto* made = new (at) CallTable{};
    made->version = wire::kCallTableVersion;
    made->clock = has_steady_time_stamps() ? CallClock::kTimeStamps : CallClock::kMonotonicNs;
    made->quick = quick_of(made->clock);
    made->threads = threads;
    made->generation = 1;
    made->until = until;
    std::atomic_ref(made->magic).store(wire::kCallTableMagic, std::memory_order_release);
    table_bytes = bytes;
    std::atomic_ref(call_table).store(made, std::memory_order_release);
    return;
  }
}

/// A child counts by itself, as long as its parent would, until a recorder finds it. In whatever its parent
/// was, the thread that forked is in no call of it.
void after_fork_in_child() {
  CallTable* of_parent = call_table;
  const std::uint64_t bytes = table_bytes;
  const std::uint64_t until = of_parent->until;
  call_table = &switched_off;
  if (forget_thread != nullptr) forget_thread();
  if (of_parent != &switched_off) ::munmap(of_parent, bytes);
  make_table(until);
}

/// Before the program's own constructors, which may be instrumented.
[[gnu::constructor(101)]] void begin() {
  const char* wanted = ::secure_getenv("LAGGARD_CALLS");
  if (wanted != nullptr && std::strcmp(wanted, "never") == 0) return;
  make_table(wanted != nullptr && std::strcmp(wanted, "on") == 0 ? CallTable::kAlways : 0);
  ::pthread_atfork(nullptr, nullptr, &after_fork_in_child);
}

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
constinit CallTable* call_table = &switched_off;

CallThread* take_place(CallTable& of) {
  auto* places = reinterpret_cast<CallThread*>(&of + 1);
  for (std::uint32_t i = 0; i < of.threads; ++i) {
    std::uint32_t nobody = 0;
    if (places[i].taken.load(std::memory_order_relaxed) != 0) continue;
    if (!places[i].taken.compare_exchange_strong(nobody, 1, std::memory_order_acquire)) continue;
    std::uint32_t used = of.threads_used.load(std::memory_order_relaxed);
    while (used < i + 1 && !of.threads_used.compare_exchange_weak(used, i + 1)) continue;
    return &places[i];
  }
  of.threads_refused.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void give_back(CallThread& place) {
  place.depth.store(0, std::memory_order_relaxed);
  place.taken.store(0, std::memory_order_release);
}

void set_forget_thread(void (*forget)()) { forget_thread = forget; }

}  // namespace laggard::tracee
