#include "stats/path_health.h"

#include <algorithm>
#include <cmath>
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

/// The successes that are a unit's whatever its health: those of hops that it has for itself.
void add_constant(const PathTrials& path, std::size_t noise, std::span<UnitHealth> counts) {
  const double successes = path.trials - path.failures;
  for (const PathHop& hop : path.hops) {
    if (!is_shared(hop)) counts[hop.units.front()].alpha += successes;
  }
  counts[noise].alpha += successes;
}

double path_works(const PathTrials& path, std::span<const double> health, std::size_t noise) {
  double works = health[noise];
  for (const PathHop& hop : path.hops) works *= hop_health(hop, health);
  return works;
}

/// The rest: failures, and successes of hops that several units share. The noise is one more hop.
void add_varying(const PathTrials& path, std::span<const double> health, std::size_t noise,
                 std::span<UnitHealth> counts) {
  HopShares shares(health, counts);
  const PathHop noise_hop{.units = {noise}};
  const double successes = path.trials - path.failures;
  const double fails = std::max(1 - path_works(path, health, noise), kLeastChance);
  const auto add = [&](const PathHop& hop) {
    const double blame = std::min((1 - hop_health(hop, health)) / fails, 1.0);
    shares.add(hop, path.failures * (1 - blame) + (is_shared(hop) ? successes : 0), path.failures * blame);
  };
  for (const PathHop& hop : path.hops) add(hop);
  add(noise_hop);
}

}  // namespace

PathFit path_health(std::span<const PathTrials> paths, std::size_t units, const PathHealthOptions& options) {
  std::vector<UnitHealth> constant(units + 1, options.prior);
  constant.back() = options.noise;
  std::vector<const PathTrials*> varying;
  for (const PathTrials& path : paths) {
    add_constant(path, units, constant);
    if (path.failures > 0 || std::ranges::any_of(path.hops, is_shared)) varying.push_back(&path);
  }
  std::vector<UnitHealth> state(units + 1, options.prior);
  state.back() = options.noise;
  std::vector<double> health(state.size());
  for (int round = 0; round < options.most_rounds; ++round) {
    double change = 0;
    for (std::size_t u = 0; u < state.size(); ++u) {
      change = std::max(change, std::abs(state[u].mean() - health[u]));
      health[u] = state[u].mean();
    }
    constexpr double kSettled = 1e-7;
    if (change < kSettled) break;
    state = constant;
    for (const PathTrials* path : varying) add_varying(*path, health, units, state);
    for (const std::size_t unit : options.well) state[unit] = options.prior;
  }
  PathFit fit;
  for (const PathTrials& path : paths) {
    const double works = std::clamp(path_works(path, health, units), kLeastChance, 1 - kLeastChance);
    fit.log_likelihood +=
        (path.trials - path.failures) * std::log(works) + path.failures * std::log1p(-works);
  }
  state.pop_back();
  fit.health = std::move(state);
  return fit;
}

}  // namespace laggard::stats
