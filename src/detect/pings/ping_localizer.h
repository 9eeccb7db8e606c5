#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "detect/pings/ping_paths.h"
#include "model/parts.h"
#include "stats/path_health.h"

namespace laggard::detect {

/// What became of the probes of a pair over some time.
struct PingCounts {
  std::uint64_t trials = 0;
  std::uint64_t failures = 0;  ///< At most `trials`.
};

/// A part, or the smallest class of parts that these probes cannot tell apart, and how well it is.
struct PingVerdict {
  Part part;                 ///< Of the class the one that fewest others need, the target before all others.
  std::vector<Part> others;  ///< The rest of the class.
  stats::UnitHealth health;
  double failed = 0;            ///< The probability that less than kServes of what passes it is served.
  std::uint64_t trials = 0;     ///< Of the paths that pass it.
  std::uint64_t failures = 0;   ///< The same.
  std::vector<std::size_t> on;  ///< Which pairs these are.
};

/// Below this health a part has failed (K's threshold on P is 75 %; that on X is not given: inference of the
/// authors' numbers, ours).
inline constexpr double kServes = 0.9;
inline constexpr double kCertain = 0.75;
/// What a minute alone has to say. Ours: of what it called 75 to 99 % certain on the lab's production set
/// (even seeds), one in six was sick.
inline constexpr double kSoonCertain = 0.99;

/// By how much more likely what happened has to become by one more part that has failed, in nats: 1 in 400.
inline constexpr double kNeeded = 6;

/// Localizes failures (K §V-A): builds the factor graph of the paths and asks which parts' health explains
/// what failed. Parts that lie on exactly the same paths are one unit, and so are all that stand by for each
/// other, where the same ones always do. Parts whose paths nothing failed on are left out: they are well.
///
/// **Ours**: where half of at least three parts of a kind seem to have failed, the whole system, which all
/// paths pass, is a part like others, and nobody is told of it: what everybody has, as under a load for which
/// the probes' patience is too short, is nobody's.
class PingLocalizer {
 public:
  /// `grouping` must outlive this.
  explicit PingLocalizer(const Grouping& grouping);
  PingLocalizer(PingLocalizer&&) noexcept;
  PingLocalizer& operator=(PingLocalizer&&) = delete;
  ~PingLocalizer();

  /// The number of a pair; a new one is the next.
  [[nodiscard]] std::size_t number(const PingPair& pair);
  [[nodiscard]] const PingPair& pair(std::size_t number) const { return pairs_[number]; }
  [[nodiscard]] std::span<const PingHop> path(std::size_t number) const { return paths_[number]; }
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }

  /// \param counts  by the number of the pair; those without trials were not probed.
  [[nodiscard]] std::vector<PingVerdict> localize(std::span<const PingCounts> counts);
  /// Whether the whole system was a part of what was localized last, and failed.
  [[nodiscard]] bool everywhere() const { return everywhere_; }

 private:
  struct System;  ///< The units and paths of the pairs that were probed last.

  PingPaths ways_;
  std::map<PingPair, std::size_t> numbers_;
  std::vector<PingPair> pairs_;
  std::vector<std::vector<PingHop>> paths_;
  std::unique_ptr<System> system_;
  bool everywhere_ = false;
};

}  // namespace laggard::detect
