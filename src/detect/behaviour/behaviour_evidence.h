#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/behaviour/behaviour_follower.h"
#include "model/finding.h"
#include "model/incident.h"
#include "model/metric.h"

namespace laggard::detect {

/// In what a kind of profile is told to people.
struct BehaviourUnit {
  std::string_view name;
  double per_window = 1;  ///< What one of the unit comes to in a window.
};
[[nodiscard]] BehaviourUnit behaviour_unit(std::string_view kind);

/// What is told of a server that behaves otherwise than its peers: which functions, and what follows from
/// their names.
struct BehaviourEvidence {
  Evidence evidence;
  /// What most of the difference works for, where function names tell; nothing where no resource has half of
  /// it.
  std::optional<Resource> resource;
  std::vector<Fact> facts;  ///< kRetransmissions, where the server has more of them than its peers.
  std::string
      own_program;  ///< A program that has a fifth of the difference and runs on no peer; empty: none.
};

/// \param kind       of profile
/// \param differing  what is most apart first, in seconds or calls a window
/// \param words      of its functions
/// \param most       that are shown
[[nodiscard]] BehaviourEvidence behaviour_evidence(std::string_view kind,
                                                   std::span<const BehaviourFollower::Differing> differing,
                                                   const Dictionary& words, std::size_t most);

}  // namespace laggard::detect
