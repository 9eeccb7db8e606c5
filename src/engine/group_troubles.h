#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/peer/judge/camps.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/moved_history.h"
#include "detect/peer/judge/peer_detector.h"
#include "model/diagnosis.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::engine {

/// Watches groups as a whole, for what comparing their members cannot see: all of them slow, or half of them.
///
/// Slow is told by what goes through the servers' interfaces, held against how many clients wait for an
/// answer (detect/peer/judge/common_fall.h); where only one of the two is recorded nothing is said. Camps are
/// looked for in metrics whose bad direction is up: latency, delay, retransmission
/// (detect/peer/judge/camps.h); of disks only while the lower camp moves half as much as the higher one, or
/// more: who has nothing to do waits for nobody.
class GroupTroubles {
 public:
  /// Everything outlives this. \param columns  per group of the grouping. \param moved  Impacts::moved.
  GroupTroubles(const Grouping& grouping, std::span<const detect::PeerDetector::Columns> columns,
                const detect::WindowSpec& windows, std::span<const detect::MovedHistory> moved);

  /// Windows in order.
  void follow(const detect::JudgedWindow& judged);

  // What no incident accounts for: none of the group's hosts, of whatever state, overlaps.

  [[nodiscard]] std::vector<Slowdown> slowdowns(std::span<const Incident> incidents) const;
  /// \param to  end of the last window: what lasts until about then is not over.
  [[nodiscard]] std::vector<Camps> camps(std::span<const Incident> incidents, WallTime to) const;

  /// The state (base/state_codec.h), for one of the same grouping, columns and windows.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.each(self.asked_);
    state.each(self.splits_);
  }

 private:
  /// A metric in which a group may be in two camps.
  struct Watched {
    std::size_t group = 0;
    std::size_t column = 0;
  };

  [[nodiscard]] WallTime start_of(std::int64_t window) const;
  [[nodiscard]] WallTime end_of(std::int64_t window) const;
  [[nodiscard]] const detect::MovedHistory* asked_of(std::size_t group) const;
  [[nodiscard]] std::optional<detect::Split> split_of(const Watched& watched,
                                                      const detect::WindowJudgement& window) const;
  [[nodiscard]] Camps describe(const Watched& watched, const detect::CampFollower::Found& found,
                               WallTime to) const;
  [[nodiscard]] std::vector<Part> shared_by(const PeerGroup& group, std::span<const std::uint8_t> higher,
                                            bool of_higher) const;

  const Grouping& grouping_;
  std::span<const detect::PeerDetector::Columns> columns_;
  detect::WindowSpec windows_;
  std::span<const detect::MovedHistory> moved_;
  std::vector<detect::MovedHistory> asked_;   ///< Per group; of clients' ends of connections.
  std::vector<Watched> watched_;              ///< By group.
  std::vector<detect::CampFollower> splits_;  ///< Of each that is watched.
};

}  // namespace laggard::engine
