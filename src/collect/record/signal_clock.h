#pragma once

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"

namespace laggard::collect {

/// The machine's clocks, for a program that SIGTERM, SIGINT and SIGHUP (unless it was ignored, as under
/// nohup) ask to finish: the signals end a sleep and are remembered. They are taken through a descriptor, so
/// that none is lost between looking at the flag and falling asleep. Nor does the program end because nobody
/// reads what it says any more: SIGPIPE is an error of that write.
class SignalClock final : public Clock {
 public:
  /// Blocks those signals for this thread and those that it starts from then on.
  [[nodiscard]] static Result<SignalClock> make();

  [[nodiscard]] WallTime wall() override { return clock_.wall(); }
  [[nodiscard]] MonoTime mono() override { return clock_.mono(); }
  [[nodiscard]] Duration suspended() override { return clock_.suspended(); }
  void sleep_until(MonoTime deadline) override;

  /// Whether a signal has come; looked at by `sleep_until`.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// The same, looked at now.
  [[nodiscard]] bool asked_to_stop() {
    if (!stopped_) take_signal();
    return stopped_;
  }

 private:
  explicit SignalClock(Fd fd) : fd_(std::move(fd)) {}

  void take_signal();

  SystemClock clock_;
  Fd fd_;
  bool stopped_ = false;
};

}  // namespace laggard::collect
