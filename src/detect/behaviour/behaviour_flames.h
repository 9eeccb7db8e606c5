#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "detect/behaviour/behaviour_follower.h"
#include "model/dictionary.h"
#include "model/payload.h"

namespace laggard::detect {

/// What a server does as a flame graph beside the median of its peers, function by function: the whole, in
/// it programs, in these binaries, in these functions (B §4.2 has a table of what differs most; the graph is
/// **ours**).
///
/// The peers' value of a function is the median of their values, and that of whatever is above the sum of
/// these: a peer that never was, but one in which a part is exactly as wide as its own parts are together.
///
/// A frame is left out, and with it what is in it, when it comes to less than kLeastShareOfFlames of the
/// whole, of the server's and of the peers'. Its time stays in the frame that it is a part of, which is then
/// wider than its parts. So there are at most 2 / kLeastShareOfFlames frames of a depth, however many
/// functions were seen.
inline constexpr double kLeastShareOfFlames = 0.005;

/// \param kind       of profile
/// \param functions  all that were compared, in any order
/// \param rest       of programs, in functions that are too small to be compared: part of no binary
/// \param words      of the functions
/// \return           nothing where the words are no functions, as when programs are compared, and where
///                   nobody does anything
[[nodiscard]] std::optional<Payload> behaviour_flames(std::string_view kind,
                                                      std::span<const BehaviourFollower::Differing> functions,
                                                      std::span<const RestOfProgram> rest,
                                                      const Dictionary& words);

}  // namespace laggard::detect
