#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::cmd {

/// Processes, mostly on many machines, that work on one question: rank 0 asks and answers, the others work
/// for it. Exists so that tests can be ranks in one process, and so that nothing but its implementation knows
/// of MPI.
class Ranks {
 public:
  virtual ~Ranks() = default;
  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t count() const = 0;
  /// Returns when the message has been taken, or will be. Messages of one rank to another keep their order.
  virtual void send(std::size_t to, std::string_view message) = 0;
  /// Waits for the next message of that rank.
  [[nodiscard]] virtual std::string receive(std::size_t from) = 0;
  /// Rank 0 tells the others that nobody waits for their work any more.
  virtual void call_off() = 0;
  [[nodiscard]] virtual bool called_off() = 0;
  /// The last thing that a rank does here.
  virtual void leave() = 0;
};

/// The ranks that mpirun has started; only this process, where it has not. kUnavailable in a build without
/// MPI, which mpirun cannot make several ranks of.
[[nodiscard]] Result<std::unique_ptr<Ranks>> join_ranks();

/// Whether mpirun has started this process: what looks like a terminal to it need not be one.
[[nodiscard]] bool is_launched();

/// Which of them this process will be, before it has joined them: rank 0 is the one that talks.
[[nodiscard]] std::size_t launched_rank();

}  // namespace laggard::cmd
