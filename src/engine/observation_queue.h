#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/event.h"
#include "model/profile.h"

namespace laggard::engine {

/// Observations of one step: a table per host and kind, in the order of these, rows in the order of time.
struct ObservationStep {
  WallTime end;
  std::vector<EventTable> events;
  std::vector<ProfileTable> profiles;
};

/// Where events and profiles wait until everything up to the end of their step is there. They may come in any
/// order: what comes out is in the order of time, and of what is at the same time in the order of its
/// content. A period of a profile is taken at its end.
///
/// What comes after its step was taken is late: it is counted and not handed out. So is what comes while
/// kMost wait.
class ObservationQueue {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 22;  ///< Rows.

  using HostKind = std::pair<std::string, std::string>;

  explicit ObservationQueue(Duration step) : step_(step) {}

  void add(const EventTable& table);
  void add(const ProfileTable& table);
  /// End of the first step in which something waits.
  [[nodiscard]] std::optional<WallTime> next() const;
  /// Takes that step; requires that there is one.
  [[nodiscard]] ObservationStep take();
  /// Nothing before this is waited for any more.
  void close_before(WallTime until) { closed_ = std::max(closed_, until); }

  /// What was not handed out.
  [[nodiscard]] const std::map<HostKind, Unused>& unused() const { return unused_; }

 private:
  struct Waiting {
    std::map<HostKind, EventTable> events;
    std::map<HostKind, ProfileTable> profiles;
  };

  template <typename Table, typename TimeOf>
  void sort_in(const Table& table, std::map<HostKind, Table> Waiting::*place, const TimeOf& time_of);
  template <typename Table>
  void note_losses(const Table& table);

  Duration step_;
  WallTime closed_ = WallTime::min();
  std::map<WallTime, Waiting> steps_;  ///< By their end.
  std::size_t rows_ = 0;
  std::map<HostKind, Unused> unused_;
};

}  // namespace laggard::engine
