#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "collect/pings/ping.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// One request to one target.
struct PingOrder {
  std::size_t target = 0;  ///< Index of the target.
  PingOperation operation = PingOperation::kCreateWrite;
  std::uint64_t probe = 0;  ///< Whoever orders it numbers it.
};

/// That a probe has come to another phase, or what became of it.
struct PingAnswer {
  PingOrder order;
  PingResult result;
  std::optional<PingPhase> phase = {};  ///< With one there is no result yet.
};

/// Runs requests while nobody waits for them; an interface so that tests can answer as they like.
class PingRunner {
 public:
  virtual ~PingRunner() = default;
  /// Readable when there are answers.
  [[nodiscard]] virtual std::optional<int> descriptor() const { return std::nullopt; }
  /// Requires that no request of this operation to this target is under way.
  /// \return false when nobody is there to do it any more.
  [[nodiscard]] virtual bool start(const PingOrder& order) = 0;
  /// False when nobody will answer for this target any more.
  [[nodiscard]] virtual bool is_there(std::size_t target) const = 0;
  /// Those that came since the last call.
  [[nodiscard]] virtual std::vector<PingAnswer> answers() = 0;
};

/// A process for each target with a thread for each operation: what hangs in the kernel, even where no
/// signal reaches it, hangs there alone, and the recorder neither waits for it nor is kept from ending.
///
/// A process removes its target's files and ends when its socket is closed, which the kernel does when the
/// recorder is killed; one that hangs is killed by the destructor after kPatience, and what it leaves behind
/// is found by the next recorder (PingTarget::remove_abandoned).
class PingProcesses final : public PingRunner {
 public:
  static constexpr auto kPatience = std::chrono::seconds(2);

  /// Requires that this process has one thread: the others would not exist in the new ones.
  [[nodiscard]] static Result<std::unique_ptr<PingProcesses>> start_all(
      const PingBackend& backend, std::span<const PingTargetSpec> targets, const std::string& host);
  PingProcesses(const PingProcesses&) = delete;
  PingProcesses& operator=(const PingProcesses&) = delete;
  ~PingProcesses() override;

  [[nodiscard]] std::optional<int> descriptor() const override { return any_.get(); }
  [[nodiscard]] bool start(const PingOrder& order) override;
  [[nodiscard]] bool is_there(std::size_t target) const override { return workers_[target].socket.valid(); }
  [[nodiscard]] std::vector<PingAnswer> answers() override;
  /// Per target; for tests.
  [[nodiscard]] pid_t process(std::size_t target) const { return workers_[target].process; }

 private:
  struct Worker {
    pid_t process = -1;
    Fd socket;  ///< Not valid once the process has ended.
  };

  PingProcesses() = default;
  [[nodiscard]] Status add(const PingBackend& backend, const PingTargetSpec& target, const std::string& host);

  Fd any_;  ///< An epoll descriptor of all sockets.
  std::vector<Worker> workers_;
};

}  // namespace laggard::collect
