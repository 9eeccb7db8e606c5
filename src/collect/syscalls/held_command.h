#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace laggard::collect {

/// A command that is started to be watched: its process is there at once, so that a tracer can find it, and
/// executes the command when it is let go.
class HeldCommand {
 public:
  /// \param words  the program, looked up in PATH, and its arguments; not empty.
  [[nodiscard]] static Result<HeldCommand> hold(const std::vector<std::string>& words);
  HeldCommand(HeldCommand&& other) noexcept;
  HeldCommand& operator=(HeldCommand&&) = delete;
  HeldCommand(const HeldCommand&) = delete;
  HeldCommand& operator=(const HeldCommand&) = delete;
  /// Asks the command to end (SIGTERM) if it has not; one that was never let go just ends.
  ~HeldCommand();

  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] bool is_held() const { return gate_.valid(); }
  /// An error when the program cannot be executed.
  [[nodiscard]] Status let_go();
  /// Whether it has ended; does not wait.
  [[nodiscard]] bool has_ended();
  /// As of wait(2), once it has ended.
  [[nodiscard]] std::optional<int> status() const { return status_; }

 private:
  HeldCommand(pid_t process, std::string program, Fd gate, Fd failure)
      : process_(process),
        program_(std::move(program)),
        gate_(std::move(gate)),
        failure_(std::move(failure)) {}

  pid_t process_ = -1;
  std::string program_;
  Fd gate_;     ///< A byte lets it go; closed, it ends.
  Fd failure_;  ///< Tells an errno of execvp, or is closed by it.
  std::optional<int> status_;
};

}  // namespace laggard::collect
