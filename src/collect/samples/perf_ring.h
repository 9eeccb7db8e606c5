#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// Copies what lies between two positions of a ring of bytes to the end of `words`, unwrapped. Positions only
/// grow. \return whether it makes sense: not more than the ring holds, a multiple of a word.
[[nodiscard]] bool copy_from_ring(std::span<const std::uint64_t> ring, std::uint64_t tail, std::uint64_t head,
                                  std::vector<std::uint64_t>& words);

/// The memory in which the kernel leaves the records of a processor.
class PerfRing {
 public:
  /// \param fd  of an event; may be closed once the ring is there. \param bytes  a power of two, of pages.
  [[nodiscard]] static Result<PerfRing> map(int fd, std::size_t bytes);

  PerfRing(PerfRing&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_), page_(other.page_) {}
  PerfRing& operator=(PerfRing&& other) = delete;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing();

  /// Takes the records out and appends them. \return whether they made sense.
  [[nodiscard]] bool drain(std::vector<std::uint64_t>& words);

 private:
  PerfRing(void* memory, std::size_t bytes, std::size_t page) : memory_(memory), bytes_(bytes), page_(page) {}

  void* memory_;  ///< A page about the ring, and the ring.
  std::size_t bytes_;
  std::size_t page_;
};

}  // namespace laggard::collect
