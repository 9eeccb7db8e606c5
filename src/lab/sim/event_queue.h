#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace laggard::lab {

/// Simulated time since the start of the run. Whole nanoseconds, so that equal runs are equal to the bit.
using SimTime = Duration;

[[nodiscard]] inline SimTime from_seconds(double seconds) { return SimTime{std::llround(seconds * 1e9)}; }

/// Something that waits for events. `kind` and `about` mean what the handler says they mean.
class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_event(std::uint32_t kind, std::uint64_t about) = 0;
};

/// An event that somebody asked for: whom to tell, and what. Empty ones tell nobody.
struct Signal {
  EventHandler* to = nullptr;
  std::uint32_t kind = 0;
  std::uint64_t about = 0;

  void raise() const {
    if (to != nullptr) to->on_event(kind, about);
  }
};

/// The events to come, in the order of their times; those of one time in the order in which they were asked
/// for, so that a run depends on nothing but its seed. A binary heap: O(log n) per event.
class EventQueue {
 public:
  [[nodiscard]] SimTime now() const { return now_; }

  /// Requires `at` not before now.
  void schedule(SimTime at, const Signal& signal);
  void schedule_in(SimTime delay, const Signal& signal) { schedule(now_ + delay, signal); }

  /// Raises everything up to and including `end`; the clock then stands at `end`.
  void run_until(SimTime end);

  [[nodiscard]] std::uint64_t raised() const { return raised_; }

 private:
  struct Entry {
    SimTime at;
    std::uint64_t order;
    Signal signal;
  };
  static bool later(const Entry& a, const Entry& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

  SimTime now_{};
  std::uint64_t next_order_ = 0;
  std::uint64_t raised_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace laggard::lab
