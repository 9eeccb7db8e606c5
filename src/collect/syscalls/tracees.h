#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "base/time.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// The threads that are traced by ptrace(2): stopped at the begin and at the end of each call. What they do
/// is told as the kernel's side by BPF tells it (wire/syscall_record.h).
class Tracees {
 public:
  using Put = std::function<void(std::span<const std::byte> record)>;

  explicit Tracees(Put put) : put_(std::move(put)) {}

  /// Traces all threads of a process, from their next calls on, and whatever they make. \param is_held  it
  /// waits to execute a command, and what it does until then is not told. \return an errno, or 0: also where
  /// it has ended
  [[nodiscard]] int seize(pid_t process, bool is_held);
  /// What waitpid(2) told of a thread.
  void handle(pid_t id, int status);
  /// Lets each go at its next stop.
  void begin_to_let_go();
  /// That the calls of those that have not stopped are under way.
  void tell_unfinished();
  /// What their processes have open.
  void tell_open() const;
  /// Calls that have been under way for that long, and again when that has doubled.
  void tell_running(Duration running_after);

  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  struct Thread {
    pid_t process = 0;
    wire::CallRecord call{};
    std::array<char, wire::kTextBytes> text{};
    std::size_t text_bytes = 0;
    bool in_call = false;
    bool is_newborn = false;          ///< It has yet to return from the clone that made it.
    bool is_hidden = false;           ///< Until it executes the command that it is held for.
    bool resumes = false;             ///< It was in a call when it was found, which begins anew for us alone.
    bool is_resumed = false;          ///< That is the call that it is in.
    std::uint64_t told_ns = 0;        ///< For how long its call was told to be under way last, ...
    std::uint64_t told_sequence = 0;  ///< ... and which one.

    /// Whether it is in a call that is told of, and of which the begin is known.
    [[nodiscard]] bool knows_call() const { return in_call && !is_hidden && !is_resumed; }
  };

  void handle_stop(pid_t id, Thread& thread, int status);
  void handle_call(pid_t id, Thread& thread);
  void begin_call(pid_t id, Thread& thread, const void* info);
  void end_call(pid_t id, Thread& thread, std::int64_t result);
  void handle_fork(pid_t id, const Thread& thread);
  void handle_exec(pid_t id);
  void handle_signal(pid_t id, const Thread& thread, int signal) const;
  void end(pid_t id, int status);
  static void look_for_call(pid_t id, Thread& thread);
  static void read_paths(pid_t id, Thread& thread);
  void describe(pid_t process, std::int64_t descriptor) const;
  void put_call(pid_t id, Thread& thread, std::uint8_t kind, std::size_t text_bytes) const;
  void put_unfinished(pid_t id, Thread& thread) const;

  Put put_;
  std::map<pid_t, Thread> threads_;
  std::uint64_t sequence_ = 0;
  bool lets_go_ = false;
};

}  // namespace laggard::collect
