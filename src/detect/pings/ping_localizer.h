#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/pings/ping_paths.h"
#include "model/parts.h"
#include "stats/path_health.h"

namespace laggard::detect {

/// What became of the probes of one client to one target over some time.
struct PingCounts {
  std::string client;
  std::string target;
  std::uint64_t trials = 0;
  std::uint64_t failures = 0;
};

/// A part, or the smallest class of parts that these probes cannot tell apart, and how well it is.
struct PingVerdict {
  Part part;                 ///< Of the class the one that fewest others need, the target before all others.
  std::vector<Part> others;  ///< The rest of the class.
  stats::UnitHealth health;
  double failed = 0;            ///< The probability that less than kServes of what passes it is served.
  std::uint64_t trials = 0;     ///< Of the paths that pass it.
  std::uint64_t failures = 0;   ///< The same.
  std::vector<std::size_t> on;  ///< Which counts these are.
};

/// Below this health a part has failed (K's threshold on P is 75 %; that on X is not given: inference of the
/// authors' numbers, ours).
inline constexpr double kServes = 0.9;
inline constexpr double kCertain = 0.75;

/// Localizes failures (K §V-A): builds the factor graph of the paths and asks which parts' health explains
/// what failed. Parts that lie on exactly the same paths are one unit. Parts whose paths nothing failed on
/// are left out: they are well.
[[nodiscard]] std::vector<PingVerdict> localize_pings(std::span<const PingCounts> counts, PingPaths& paths);

}  // namespace laggard::detect
