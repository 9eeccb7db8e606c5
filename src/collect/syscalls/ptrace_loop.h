#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "collect/syscalls/tracees.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// What the tracing process and the one that started it share.
struct PtraceCounts {
  std::atomic<std::uint64_t> lost{0};  ///< Records that found no room in the pipe.
  std::atomic<std::uint64_t> live{0};  ///< Threads that are traced.
};

/// What the tracing process is told, and answers by an errno or 0 once it is done.
struct PtraceCommand {
  enum Kind : std::uint32_t { kTrace, kTellOpen, kTellRunning, kStop };
  Kind kind = kTrace;
  std::uint32_t count = 0;
  std::uint32_t is_held = 0;  ///< The one process waits to execute a command (HeldCommand).
  std::array<std::uint32_t, wire::kProcesses> processes{};
};

/// The process that traces by ptrace(2). It has no other child or thread, since whoever traces takes the
/// stops of all its children for its own.
class PtraceLoop {
 public:
  struct Ends {
    int records = -1;   ///< A pipe that does not block; records are lost when it is full.
    int commands = -1;  ///< A socket of packets.
  };
  PtraceLoop(Ends ends, PtraceCounts& counts, Duration running_after)
      : ends_(ends), counts_(counts), running_after_(running_after) {}

  /// Until it is told to stop, or nobody is there to tell it.
  void run();

 private:
  [[nodiscard]] bool handle_some();
  /// Does what it is told. \return whether to go on
  [[nodiscard]] bool obey();
  [[nodiscard]] int trace(const PtraceCommand& command);
  void stop();
  void put(std::span<const std::byte> record);
  void flush();

  Ends ends_;
  PtraceCounts& counts_;
  Duration running_after_;
  Tracees tracees_{[this](std::span<const std::byte> record) { put(record); }};
  std::vector<std::byte> buffer_;
  std::uint64_t buffered_ = 0;  ///< Records in it.
};

}  // namespace laggard::collect
