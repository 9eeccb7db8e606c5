#include "collect/samples/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace laggard::collect {

bool copy_from_ring(std::span<const std::uint64_t> ring, std::uint64_t tail, std::uint64_t head,
                    std::vector<std::uint64_t>& words) {
  constexpr std::uint64_t kStep = sizeof(std::uint64_t);
  const std::uint64_t bytes = head - tail;
  if (bytes > ring.size() * kStep || bytes % kStep != 0 || tail % kStep != 0) return false;
  const std::size_t begin = tail / kStep % std::max<std::size_t>(ring.size(), 1);
  const auto first = ring.subspan(begin, std::min<std::size_t>(bytes / kStep, ring.size() - begin));
  const auto second = ring.first(bytes / kStep - first.size());
  words.insert(words.end(), first.begin(), first.end());
  words.insert(words.end(), second.begin(), second.end());
  return true;
}

Result<PerfRing> PerfRing::map(int fd, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) return PerfRing(memory, bytes, page);
  if (errno == EPERM) {
    return fail(
        ErrorCode::kNoPermission, "record samples",
        "may not lock the memory that samples wait in: needs the capability CAP_IPC_LOCK, or a larger "
        "kernel.perf_event_mlock_kb");
  }
  return fail_errno(errno, "record samples", "cannot map the memory that samples wait in");
}

PerfRing::~PerfRing() {
  if (memory_ != nullptr) ::munmap(memory_, page_ + bytes_);
}

/// The kernel writes the head after the records, and reads the tail before it writes over them.
bool PerfRing::drain(std::vector<std::uint64_t>& words) {
  auto& control = *static_cast<perf_event_mmap_page*>(memory_);
  const std::uint64_t head = __atomic_load_n(&control.data_head, __ATOMIC_ACQUIRE);
  const auto* ring = reinterpret_cast<const std::uint64_t*>(static_cast<const char*>(memory_) + page_);
  const bool is_sound =
      copy_from_ring({ring, bytes_ / sizeof(std::uint64_t)}, control.data_tail, head, words);
  __atomic_store_n(&control.data_tail, head, __ATOMIC_RELEASE);
  return is_sound;
}

}  // namespace laggard::collect
