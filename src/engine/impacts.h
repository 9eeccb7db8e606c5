#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/moved_history.h"
#include "detect/peer/judge/peer_detector.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::engine {

/// Follows what the median member of every group moves, and says what an incident cost those whom it does not
/// blame: by how much the peers on the same kind of device moved less from its beginning on than just before.
class Impacts {
 public:
  /// Everything outlives this. \param columns  per group of the grouping.
  Impacts(const Grouping& grouping, std::span<const detect::PeerDetector::Columns> columns,
          const detect::WindowSpec& windows);

  /// Windows in order.
  void follow(const detect::JudgedWindow& judged);

  /// Of the groups with a member on a host of the incident's components, the one that fell most. Nothing when
  /// none fell by a tenth, or when the incident is about no component.
  [[nodiscard]] std::optional<Impact> of(const Incident& incident) const;

  /// What the median member moved, per group; empty for those that move nothing.
  [[nodiscard]] std::span<const detect::MovedHistory> moved() const { return moved_; }

  /// The state (base/state_codec.h), for one of the same grouping.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.each(self.moved_);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> groups_of(const Incident& incident) const;

  const Grouping& grouping_;
  std::span<const detect::PeerDetector::Columns> columns_;
  detect::WindowSpec windows_;
  std::vector<detect::MovedHistory> moved_;  ///< Per group.
  std::map<std::string_view, std::size_t, std::less<>> component_;
  std::map<std::string_view, std::vector<std::size_t>, std::less<>> groups_of_host_;
};

}  // namespace laggard::engine
