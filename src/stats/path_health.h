#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laggard::stats {

/// What a path passes, one hop after the other: of each the units that share in it. Units are numbered from
/// 0.
struct PathHop {
  enum class Sharing : std::uint8_t {
    kOne,       ///< One unit, which everything passes.
    kStandby,   ///< Any one suffices: a pair of servers. It works with t = 1 - prod (1 - X).
    kBalanced,  ///< One is chosen at random: routers. It works with t = mean X.
  };
  std::vector<std::size_t> units;  ///< Not empty.
  Sharing sharing = Sharing::kOne;
  auto operator<=>(const PathHop&) const = default;
};

/// Of a unit's health X, the probability that it serves a request: X ~ Beta(alpha, beta).
struct UnitHealth {
  double alpha = 0;
  double beta = 0;
  [[nodiscard]] double mean() const { return alpha / (alpha + beta); }
};

struct PathHealthOptions {
  /// Before anything was tried a unit is thought healthy. K begins with Beta(.5, .5), of which 79.5 % lie
  /// below 0.9, so that whatever is not probed would have failed.
  UnitHealth prior{3, 0.05};
  /// What fails for no unit's sake (K §V-A: measurement noise) is one more hop of all paths.
  UnitHealth noise{200, 0.5};
  int most_rounds = 500;
  /// Units that are taken for healthy, whatever failed: how well does that explain it?
  std::span<const std::size_t> well = {};
};

struct PathFit {
  std::vector<UnitHealth> health;  ///< One for each unit; the prior for one that no path passes.
  /// Of all trials under the units' mean health, without the binomials' coefficients.
  double log_likelihood = 0;
};

/// The factor graph of K §V-A over the paths of a system, which stay the same while their probes come: each
/// unit has a health X ~ Beta, a path works with A = prod of its hops' t, and of its N trials
/// Y ~ Binomial(N, A) succeed. Hops that several paths pass are looked at once.
class PathModel {
 public:
  /// \param units  how many there are.
  PathModel(std::span<const std::vector<PathHop>> paths, std::size_t units);

  /// Solves it by expectation maximization with conjugate updates instead of K's Monte Carlo: of a path's
  /// failures hop i is to blame for the share
  ///     q_i = (1 - t_i) / (1 - A),
  /// within a hop the units as they had failed; to beta goes what a unit is blamed for, to alpha its
  /// successes and what others are blamed for. It is overconfident where several units explain a failure as
  /// well, which callers prevent by making one unit of those that lie on the same paths (`PathHop`). A round
  /// costs as much as the paths on which something failed, and all different hops.
  /// \param trials    how often each path was tried.
  /// \param failures  how often that failed; at most `trials`.
  [[nodiscard]] PathFit fit(std::span<const double> trials, std::span<const double> failures,
                            const PathHealthOptions& options = {}) const;

 private:
  std::vector<PathHop> hops_;                    ///< Each once.
  std::vector<std::vector<std::size_t>> paths_;  ///< Into them.
  std::size_t units_ = 0;
};

/// The probability that a hop serves a request, given its units' health.
[[nodiscard]] double hop_health(const PathHop& hop, std::span<const double> health);

}  // namespace laggard::stats
