#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.h"

namespace laggard {

/// A host whose clock was off for a while, against most of its peers.
struct ClockSkew {
  std::string host;
  WallTime from;
  WallTime to;
  Duration ahead{};        ///< Of the peers' clocks; negative: behind them. Whole cells of the comparison.
  Duration error{};        ///< `ahead` is right to this.
  double correlation = 0;  ///< Of the host's load with its peers', moved by `ahead` ...
  double unmoved = 0;      ///< ... and as the clocks have it.
  double sigmas = 0;       ///< How sure it is that the clock is off: standard errors between the two.
};

/// `15s behind` or `2m ahead of`: to be followed by whom.
[[nodiscard]] std::string how_far_off(const ClockSkew& skew);

/// What the data tell of the clocks of hosts that are each other's peers (docs/methods/skew.md). Unknown is
/// not zero: a steady load fits itself at every shift.
struct Clocks {
  std::size_t agree = 0;             ///< Hosts whose clocks are right, to one cell of the comparison.
  std::vector<ClockSkew> skewed;     ///< By host, then time.
  std::vector<std::string> unknown;  ///< Hosts of which nothing can be said.
  bool corrected = false;            ///< What is `skewed` was moved before the hosts were compared.
};

}  // namespace laggard
