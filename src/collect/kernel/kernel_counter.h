#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"

namespace laggard::collect {

/// What was counted of a function of the kernel, or of a tracepoint.
struct KernelCount {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;    ///< Of calls that have returned.
  std::uint64_t lost = 0;  ///< Calls whose time is not known.
};

/// Counts the calls of one function of the kernel, or the events of one tracepoint, while it exists.
class KernelCounter {
 public:
  /// The function's calls and the time from their begin to their end, of all tasks (fentry, fexit).
  /// \return kNotFound where the kernel that runs has no such function, or inlined it; kUnavailable where it
  ///         has no types or laggard was built without BPF; kNoPermission
  [[nodiscard]] static Result<std::unique_ptr<KernelCounter>> of_function(const std::string& name);
  /// A tracepoint's events: `tcp_retransmit_skb`. Of one that is about a socket only those of sockets in a
  /// network namespace. \param network  its inode number
  [[nodiscard]] static Result<std::unique_ptr<KernelCounter>> of_tracepoint(const std::string& name,
                                                                            std::uint32_t network);

  virtual ~KernelCounter() = default;
  KernelCounter() = default;
  KernelCounter(const KernelCounter&) = delete;
  KernelCounter& operator=(const KernelCounter&) = delete;

  /// Since it began.
  [[nodiscard]] virtual KernelCount counted() const = 0;
};

}  // namespace laggard::collect
