#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::detect {

/// A piece of background work of one of several peers, whose pieces do not overlap.
struct PeerWork {
  TimeSpan span;
  std::vector<std::string_view> names;  ///< What it is, each once.
};

/// A shorter piece counts as one of that length.
inline constexpr Duration kLeastPiece = std::chrono::seconds(1);

/// How many of the peers are at the same work meanwhile, on average over the piece's time:
/// sum_j |span_j and span_i| / |span_i| over all other pieces j that are at least what i is. Work that most
/// peers are at, too, makes no difference between them, and explains none.
/// \return  for each piece a number from 0 to that of the other peers.
[[nodiscard]] std::vector<double> peers_meanwhile(std::span<const PeerWork> pieces);

}  // namespace laggard::detect
