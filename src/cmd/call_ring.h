#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/time.h"
#include "model/event.h"

namespace laggard::cmd {

/// The calls of the last minutes in memory. The oldest leave, a table at a time, when they are too old or too
/// many.
class CallRing {
 public:
  static constexpr Duration kAge = std::chrono::minutes(5);
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// In the order of time, of one host and kind.
  void add(EventTable calls);
  /// All of them; the ring is empty then.
  [[nodiscard]] std::vector<EventTable> take();

 private:
  struct Kept {
    EventTable calls;
    std::size_t bytes;
  };
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace laggard::cmd
