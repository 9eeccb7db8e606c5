#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

/// What each member of a group did beside its peers, window by window: how much longer it was busy
/// (slowdown_of), and how much more it read. It tells a disk that has become slow from one that has always
/// been a little slower than its peers, as disks are. The slowest of healthy disks saturates first, and then
/// its latency is many times its peers' although it is busy hardly longer. **Ours.**
///
/// Let b_i be the median of one of the two over the windows of member i before some moment, a_i that over
/// some windows since, and c_i = ln(a_i / b_i). The member has changed in that respect when c_i is at least
///   ln(HardwareOptions::least_change),
///   `sigmas` times 1.4826 median |c_j| over the others: by as much all of them differ from their own past
///     by chance, and when little is asked of them, and
///   `own_sigmas` times 1.4826 median |ln(x / b_i)| over its windows x before, where there are ten: a queue
///     that comes and goes makes a healthy disk slower in the windows in which it is found to be slow.
/// No hardware makes a disk read more than it did, so a change in either is enough; what is written comes
/// when a cache wants, later from a slower disk.
class OwnPast {
 public:
  /// Windows that are remembered.
  static constexpr std::size_t kMostWindows = 64;

  OwnPast(std::size_t members, const HardwareOptions& options) : members_(members), options_(options) {}

  /// The next window. Of all members, missing where nothing was done. \param slowdown  empty: not recorded,
  /// and then nothing is ever said. \param read  in any unit; empty: not recorded.
  void add(std::int64_t position, std::span<const double> slowdown, std::span<const double> read);

  /// The member is sick in the newest window, which says nothing of how it is.
  void leave_out(std::size_t member);
  /// It has been replaced: nothing is known from before.
  void repaired(std::size_t member);

  /// Whether it may be its hardware that is slower than its peers': in the windows at `positions` (ascending)
  /// the member is no other than in all windows before, or nothing is known from before, and in one of the
  /// two it is busy for less than HardwareOptions::slowdown times as long as its peers. False where its busy
  /// time is not known.
  [[nodiscard]] bool as_ever(std::size_t member, std::span<const std::int64_t> positions) const;

  /// The state (base/state_codec.h), for one of as many members.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::size_t count = self.windows_.size();
    state(count);
    state.require(count <= kMostWindows);
    if constexpr (State::kRestores) self.windows_.resize(state.ok() ? count : 0);
    for (auto& window : self.windows_) {
      state(window.position);
      for (auto* const row : {&window.slowdown, &window.read}) {
        state.numbers(*row, self.members_);
        state.require(row->size() == self.members_);
      }
    }
  }

 private:
  struct Window {
    std::int64_t position = 0;
    std::vector<double> slowdown;
    std::vector<double> read;
  };
  using Row = std::vector<double> Window::*;
  /// A member in the windows that are wanted.
  template <class Wanted>
  [[nodiscard]] std::vector<double> of(std::size_t member, Row row, const Wanted& wanted) const;
  [[nodiscard]] bool has_changed(std::size_t member, Row row, std::span<const std::int64_t> positions) const;

  std::size_t members_;
  HardwareOptions options_;
  std::deque<Window> windows_;  ///< Oldest first.
};

}  // namespace laggard::detect
