#pragma once

#include "base/time.h"

namespace laggard {

/// Time as the program sees it; exists so that tests can step, stop and rewind it.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime wall() = 0;
  [[nodiscard]] virtual MonoTime mono() = 0;
  /// How long the machine has been suspended since it was booted: the monotonic clock stands still meanwhile.
  [[nodiscard]] virtual Duration suspended() { return {}; }
  /// Sleeps until `deadline` of the monotonic clock or until a signal arrives, whichever is first.
  virtual void sleep_until(MonoTime deadline) = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override;
  [[nodiscard]] MonoTime mono() override;
  [[nodiscard]] Duration suspended() override;
  void sleep_until(MonoTime deadline) override;
};

}  // namespace laggard
