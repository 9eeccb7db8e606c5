#include "stats/path_health.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace laggard::stats {

double hop_health(const PathHop& hop, std::span<const double> health) {
  double sum = 0;
  double none = 1;
  for (const std::size_t unit : hop.units) {
    sum += health[unit];
    none *= 1 - health[unit];
  }
  if (hop.sharing == PathHop::Sharing::kStandby) return 1 - none;
  return sum / static_cast<double>(hop.units.size());
}

namespace {

constexpr double kLeastChance = 1e-12;

/// Adds to the units of a hop what they did well and what they failed in.
class HopShares {
 public:
  HopShares(std::span<const double> health, std::span<UnitHealth> counts)
      : health_(health), counts_(counts) {}

  void add(const PathHop& hop, double successes, double failures) {
    switch (hop.sharing) {
      case PathHop::Sharing::kOne:
        add(hop.units.front(), successes, failures);
        return;
      case PathHop::Sharing::kStandby:
        add_standby(hop, successes, failures);
        return;
      case PathHop::Sharing::kBalanced:
        add_balanced(hop, successes, failures);
        return;
    }
  }

 private:
  void add(std::size_t unit, double successes, double failures) {
    counts_[unit].alpha += successes;
    counts_[unit].beta += failures;
  }

  /// A success is of the first one that works, in the order of the hop; when the hop fails all of them did.
  void add_standby(const PathHop& hop, double successes, double failures) {
    const double works = std::max(hop_health(hop, health_), kLeast);
    double before = 1;
    for (const std::size_t unit : hop.units) {
      add(unit, successes * before * health_[unit] / works, failures);
      before *= 1 - health_[unit];
    }
  }

  void add_balanced(const PathHop& hop, double successes, double failures) {
    double well = 0;
    double ill = 0;
    for (const std::size_t unit : hop.units) {
      well += health_[unit];
      ill += 1 - health_[unit];
    }
    for (const std::size_t unit : hop.units) {
      add(unit, successes * health_[unit] / std::max(well, kLeast),
          failures * (1 - health_[unit]) / std::max(ill, kLeast));
    }
  }

  static constexpr double kLeast = 1e-300;
  std::span<const double> health_;
  std::span<UnitHealth> counts_;
};

bool is_shared(const PathHop& hop) { return hop.sharing != PathHop::Sharing::kOne; }

/// Expectation maximization over the health of units; the noise is one more unit, which all paths pass.
class Fit {
 public:
  using Path = std::vector<std::size_t>;  ///< Hops by number.

  Fit(std::span<const PathHop> hops, std::span<const Path> paths, std::size_t units,
      const PathHealthOptions& options)
      : hops_(hops), paths_(paths), options_(options), constant_(units + 1, options.prior) {
    constant_.back() = options.noise;
    state_ = constant_;
    health_.resize(state_.size());
    works_.resize(hops.size());
  }

  PathFit run(std::span<const double> trials, std::span<const double> failures) {
    sum_up(trials, failures);
    for (int round = 0; round < options_.most_rounds; ++round) {
      constexpr double kSettled = 1e-7;
      if (look() < kSettled) break;
      improve(failures);
    }
    PathFit fit;
    fit.log_likelihood = log_likelihood(trials, failures);
    state_.pop_back();
    fit.health = std::move(state_);
    return fit;
  }

 private:
  /// Successes are those of their hops, whatever fails elsewhere.
  void sum_up(std::span<const double> trials, std::span<const double> failures) {
    successes_.assign(hops_.size(), 0);
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      const double successes = trials[p] - failures[p];
      for (const std::size_t hop : paths_[p]) successes_[hop] += successes;
      constant_.back().alpha += successes;
      if (failures[p] > 0) failing_.push_back(p);
    }
    for (std::size_t h = 0; h < hops_.size(); ++h) {
      if (is_shared(hops_[h])) {
        shared_.push_back(h);
      } else {
        constant_[hops_[h].units.front()].alpha += successes_[h];
      }
    }
  }

  /// The health at which what happened is looked at. \return by how much it has changed at most.
  double look() {
    double change = 0;
    for (std::size_t u = 0; u < state_.size(); ++u) {
      change = std::max(change, std::abs(state_[u].mean() - health_[u]));
      health_[u] = state_[u].mean();
    }
    for (std::size_t h = 0; h < hops_.size(); ++h) works_[h] = hop_health(hops_[h], health_);
    return change;
  }

  void improve(std::span<const double> failures) {
    state_ = constant_;
    HopShares shares(health_, state_);
    for (const std::size_t h : shared_) shares.add(hops_[h], successes_[h], 0);
    for (const std::size_t p : failing_) {
      const double fails = std::max(1 - path_works(p), kLeastChance);
      const auto blame = [&](double works) { return std::min((1 - works) / fails, 1.0); };
      for (const std::size_t h : paths_[p]) {
        const double its = failures[p] * blame(works_[h]);
        shares.add(hops_[h], failures[p] - its, its);
      }
      const double noise = failures[p] * blame(health_.back());
      state_.back().alpha += failures[p] - noise;
      state_.back().beta += noise;
    }
    for (const std::size_t unit : options_.well) state_[unit] = options_.prior;
  }

  [[nodiscard]] double path_works(std::size_t p) const {
    double works = health_.back();
    for (const std::size_t h : paths_[p]) works *= works_[h];
    return works;
  }

  /// Of all paths: log A = sum log t.
  [[nodiscard]] double log_likelihood(std::span<const double> trials,
                                      std::span<const double> failures) const {
    double sum = 0;
    const auto successes_of = [](double successes, double works) {
      return successes * std::log(std::clamp(works, kLeastChance, 1 - kLeastChance));
    };
    double all = 0;
    for (std::size_t h = 0; h < hops_.size(); ++h) sum += successes_of(successes_[h], works_[h]);
    for (std::size_t p = 0; p < paths_.size(); ++p) all += trials[p] - failures[p];
    sum += successes_of(all, health_.back());
    for (const std::size_t p : failing_) {
      sum += failures[p] * std::log1p(-std::clamp(path_works(p), kLeastChance, 1 - kLeastChance));
    }
    return sum;
  }

  std::span<const PathHop> hops_;
  std::span<const Path> paths_;
  const PathHealthOptions& options_;
  std::vector<UnitHealth> constant_;
  std::vector<UnitHealth> state_;
  std::vector<double> health_;     ///< Means of `state_`.
  std::vector<double> works_;      ///< Per hop: t.
  std::vector<double> successes_;  ///< The same.
  std::vector<std::size_t> failing_;
  std::vector<std::size_t> shared_;
};

}  // namespace

PathModel::PathModel(std::span<const std::vector<PathHop>> paths, std::size_t units) : units_(units) {
  std::map<PathHop, std::size_t> known;
  for (const std::vector<PathHop>& path : paths) {
    std::vector<std::size_t>& own = paths_.emplace_back();
    for (const PathHop& hop : path) {
      const auto [at, added] = known.try_emplace(hop, hops_.size());
      if (added) hops_.push_back(hop);
      own.push_back(at->second);
    }
  }
}

PathFit PathModel::fit(std::span<const double> trials, std::span<const double> failures,
                       const PathHealthOptions& options) const {
  return Fit(hops_, paths_, units_, options).run(trials, failures);
}

}  // namespace laggard::stats
