#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace laggard::collect {

/// Whose calls are traced: these, and whatever they fork.
struct TraceTargets {
  std::vector<std::uint32_t> processes = {};
  std::vector<std::string> comms = {};  ///< Processes of these names, also those that come later.
  std::uint32_t held = 0;               ///< A child that waits to execute a command; 0: none.
};

/// The kernel's side of the recording, or its stand-in in tests: a ring of the records of
/// wire/syscall_record.h.
class SyscallTracer {
 public:
  /// \return whether to go on.
  using Take = std::function<bool(std::span<const std::byte> record)>;

  virtual ~SyscallTracer() = default;
  /// Becomes readable now and then while the ring fills; it is to be drained at a cadence, too.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Hands over what is in the ring until it is empty or `take` has had enough.
  virtual void drain(const Take& take) = 0;
  /// Traces these processes, too, as from their next calls, and puts what is open into the ring.
  [[nodiscard]] virtual Status add(std::span<const std::uint32_t> processes) = 0;
  /// Puts what the traced processes have open into the ring.
  [[nodiscard]] virtual Status tell_open() = 0;
  /// Puts a mark of each call into the ring that has been under way for TracerOptions::running_after, and
  /// again each time that has doubled.
  [[nodiscard]] virtual Status tell_running() = 0;
  /// Traces nothing more and puts the calls that are under way into the ring.
  virtual void stop() = 0;
  /// Threads that are traced now.
  [[nodiscard]] virtual std::uint64_t live() const = 0;
  /// Records that found no room, of each processor that lost any.
  [[nodiscard]] virtual std::vector<std::uint64_t> lost() const = 0;
};

struct TracerOptions {
  TraceTargets targets;
  std::size_t ring_bytes = std::size_t{16} << 20;     ///< A power of two.
  Duration running_after = std::chrono::seconds(30);  ///< S §7's hang.
};

/// Traces by BPF from now on. An error says what is missing: this build, a right, something of the kernel.
[[nodiscard]] Result<std::unique_ptr<SyscallTracer>> open_bpf_tracer(const TracerOptions& options);

/// Traces by ptrace, from a process of its own (ptrace_loop.h): also without rights, processes of one's own,
/// which take many times as long for their calls. Nobody else may trace them, and a call that was under way
/// begins anew where it is interrupted. Of TraceTargets::comms those that come later are found by
/// `tell_running`.
[[nodiscard]] Result<std::unique_ptr<SyscallTracer>> open_ptrace_tracer(const TracerOptions& options);

}  // namespace laggard::collect
