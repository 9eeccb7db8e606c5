#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "wire/call_table.h"

namespace laggard::collect {

/// What a process counts its calls in (wire/call_table.h), seen from outside. It can be read when the process
/// is gone, too, so that nothing is lost however it ends.
class CallMemory {
 public:
  /// What a thread has counted of a function since the process began.
  struct Count {
    std::uint64_t function = 0;
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
  };
  /// What could not be counted, of all threads.
  struct Losses {
    std::uint64_t skipped = 0;    ///< Calls in handlers of signals that interrupted the counting of another.
    std::uint64_t forgotten = 0;  ///< Calls whose time is not known: too many were under way.
    std::uint64_t others = 0;     ///< Calls of functions for which there was no room.
    std::uint64_t threads = 0;    ///< Threads for which there was no room.
  };

  /// \param root  where /proc is.
  /// \return kNotFound when the process has none, kUnavailable when it is gone or must not be looked at,
  ///         kBadInput when its memory makes no sense.
  [[nodiscard]] static Result<CallMemory> open(const std::filesystem::path& root, pid_t process);

  [[nodiscard]] std::uint64_t now() const { return wire::read_clock(clock_); }
  [[nodiscard]] wire::CallClock clock() const { return clock_; }
  /// Until when calls are counted, as the clock shows it; zero: they are not.
  [[nodiscard]] Result<std::uint64_t> until() const;
  /// Counting goes on for 5 s or more, and ends by itself when this is not said again.
  [[nodiscard]] Status keep_counting();
  /// Ends it, unless somebody else has said meanwhile that it goes on.
  void stop_counting();

  /// \param each  is told every function of every thread, with the time of the call that is under way.
  [[nodiscard]] Result<Losses> read(const std::function<void(const Count&)>& each);

 private:
  CallMemory(Fd file, std::string where) : file_(std::move(file)), where_(std::move(where)) {}

  [[nodiscard]] Status check();
  [[nodiscard]] Status read_at(std::uint64_t offset, void* to, std::size_t bytes) const;
  [[nodiscard]] Status write_at(std::uint64_t offset, const void* from, std::size_t bytes) const;
  [[nodiscard]] Status read_thread(std::uint64_t at, Losses& losses,
                                   const std::function<void(const Count&)>& each);

  Fd file_;
  std::string where_;
  wire::CallClock clock_{};
  std::uint32_t threads_ = 0;
  std::uint64_t said_until_ = 0;        ///< By keep_counting, last.
  std::vector<std::uint64_t> numbers_;  ///< Of one thread; kept for its memory.
};

}  // namespace laggard::collect
