#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace laggard::lab {

/// Simulated time since the start of the run. Whole nanoseconds, so that equal runs are equal to the bit.
using SimTime = Duration;

[[nodiscard]] inline SimTime from_seconds(double seconds) { return SimTime{std::llround(seconds * 1e9)}; }

/// Receives events. The handler defines what `kind` and `about` mean.
class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_event(std::uint32_t kind, std::uint64_t about) = 0;
};

/// An event with its receiver. An empty signal does nothing.
struct Signal {
  EventHandler* to = nullptr;
  std::uint32_t kind = 0;
  std::uint64_t about = 0;

  void raise() const {
    if (to != nullptr) to->on_event(kind, about);
  }
};

/// Future events in the order of their times, and those of the same time in the order in which they were
/// scheduled, so that a run depends on nothing but its seed. A 4-ary heap, O(log n) per event, that moves
/// keys of 16 bytes and leaves the signals in place.
class EventQueue {
 public:
  [[nodiscard]] SimTime now() const { return now_; }

  /// Requires `at` not before now.
  void schedule(SimTime at, const Signal& signal);
  void schedule_in(SimTime delay, const Signal& signal) { schedule(now_ + delay, signal); }

  /// Raises all events up to and including `end`, and sets the clock to `end`.
  void run_until(SimTime end);

  [[nodiscard]] std::uint64_t raised() const { return raised_; }

 private:
  struct Key {
    SimTime at;
    std::uint64_t order_and_slot;  ///< The order in the high bits, the signal's slot in the low kSlotBits.
  };
  static constexpr std::uint64_t kSlotBits = 24;
  static bool earlier(const Key& a, const Key& b) {
    return a.at != b.at ? a.at < b.at : a.order_and_slot < b.order_and_slot;
  }
  /// Takes the first key off the heap.
  Key pop();

  SimTime now_{};
  std::uint64_t next_order_ = 0;
  std::uint64_t raised_ = 0;
  std::vector<Key> heap_;
  std::vector<Signal> signals_;
  std::vector<std::uint64_t> free_slots_;
};

}  // namespace laggard::lab
