#include "stats/path_health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stats/beta.h"

namespace laggard::stats {
namespace {

TEST(Beta, ProbabilitiesOfKnownDistributions) {
  for (const double x : {0.01, 0.3, 0.5, 0.77, 0.999}) {
    EXPECT_NEAR(beta_probability_below(x, 1, 1), x, 1e-12) << "uniform";
    EXPECT_NEAR(beta_probability_below(x, 3, 1), x * x * x, 1e-12);
    EXPECT_NEAR(beta_probability_below(x, 0.5, 0.5), 2 / M_PI * std::asin(std::sqrt(x)), 1e-11) << "arcsine";
    // Sums of binomial probabilities: Abramowitz & Stegun 26.5.24.
    double sum = 0;
    for (int j = 4; j <= 10; ++j) {
      sum += std::tgamma(11) / std::tgamma(j + 1) / std::tgamma(11 - j) * std::pow(x, j) *
             std::pow(1 - x, 10 - j);
    }
    EXPECT_NEAR(beta_probability_below(x, 4, 7), sum, 1e-12);
  }
  EXPECT_NEAR(beta_probability_below(0.9, 0.5, 0.5), 0.795, 5e-4) << "why nothing that is unprobed is judged";
  EXPECT_EQ(beta_probability_below(0, 2, 3), 0);
  EXPECT_EQ(beta_probability_below(1, 2, 3), 1);
  for (const double p : {0.05, 0.5, 0.95}) {
    EXPECT_NEAR(beta_probability_below(beta_quantile(p, 30, 0.5), 30, 0.5), p, 1e-6);
    EXPECT_NEAR(beta_probability_below(beta_quantile(p, 5, 9), 5, 9), p, 1e-6);
  }
}

/// How often a path was tried and how often that failed.
struct PathTrials {
  std::vector<PathHop> hops;
  double trials = 0;
  double failures = 0;
};

PathFit path_health(std::span<const PathTrials> paths, std::size_t units,
                    const PathHealthOptions& options = {}) {
  std::vector<std::vector<PathHop>> hops;
  std::vector<double> trials;
  std::vector<double> failures;
  for (const PathTrials& path : paths) {
    hops.push_back(path.hops);
    trials.push_back(path.trials);
    failures.push_back(path.failures);
  }
  return PathModel(hops, units).fit(trials, failures, options);
}

PathTrials path(std::vector<std::size_t> units, double trials, double failures) {
  PathTrials path{.hops = {}, .trials = trials, .failures = failures};
  for (const std::size_t unit : units) path.hops.push_back({.units = {unit}});
  return path;
}

/// No noise to speak of.
PathHealthOptions noiseless() { return {.noise = {1e12, 1e-3}}; }

TEST(PathHealth, OneUnitIsTheConjugateUpdate) {
  const std::vector<PathTrials> paths{path({0}, 20, 8)};
  const auto health = path_health(paths, 2, noiseless()).health;
  EXPECT_NEAR(health[0].alpha, 3 + 12, 1e-6);
  EXPECT_NEAR(health[0].beta, 0.05 + 8, 1e-6);
  EXPECT_EQ(health[1].alpha, 3) << "what nothing passes is as it was thought";
}

TEST(PathHealth, OtherPathsClearWhatTheyShare) {
  // A client, two servers, four targets; the second server fails.
  std::vector<PathTrials> paths;
  for (const std::size_t target : {0U, 1U, 2U, 3U}) {
    paths.push_back(path({0, 1 + target / 2, 3 + target}, 15, target / 2 == 1 ? 15 : 0));
  }
  const auto health = path_health(paths, 7).health;
  EXPECT_LT(health[2].mean(), 0.2);
  for (const std::size_t unit : {0U, 1U, 3U, 4U}) EXPECT_GT(health[unit].mean(), 0.95) << unit;
  for (const std::size_t unit : {5U, 6U}) {
    EXPECT_LT(beta_probability_below(0.9, health[unit].alpha, health[unit].beta), 0.75) << unit;
  }
}

TEST(PathHealth, WhatStandsByKeepsAHopAliveAndWhatIsBalancedSharesBlame) {
  PathTrials pair{
      .hops = {{.units = {0, 1}, .sharing = PathHop::Sharing::kStandby}}, .trials = 20, .failures = 0};
  const std::vector<PathTrials> with_pair{path({0, 2}, 20, 20), pair};
  const auto health = path_health(with_pair, 3).health;
  EXPECT_LT(health[2].mean(), 0.5);
  EXPECT_GT(health[1].mean(), 0.9);
  PathTrials balanced{.hops = {{.units = {0, 1, 2, 3}, .sharing = PathHop::Sharing::kBalanced}},
                      .trials = 100,
                      .failures = 25};
  std::vector<PathTrials> groups{balanced};
  for (const std::size_t unit : {0U, 1U, 2U}) groups.push_back(path({unit}, 50, 0));
  const auto routers = path_health(groups, 4, noiseless()).health;
  EXPECT_LT(routers[3].mean(), 0.3) << "one of four drops everything";
  for (const std::size_t unit : {0U, 1U, 2U}) EXPECT_GT(routers[unit].mean(), 0.95);
}

/// The same model by K's method, plainly: Metropolis in Gibbs over the units' health and the noise. The mean
/// health of each unit.
std::vector<double> monte_carlo(std::span<const PathTrials> paths, std::size_t units,
                                const PathHealthOptions& options, std::mt19937_64& random) {
  std::vector<double> health(units + 1, 0.9);
  const auto log_density = [&] {
    double sum = 0;
    for (std::size_t u = 0; u <= units; ++u) {
      const UnitHealth& prior = u < units ? options.prior : options.noise;
      sum += (prior.alpha - 1) * std::log(health[u]) + (prior.beta - 1) * std::log1p(-health[u]);
    }
    for (const PathTrials& one : paths) {
      double works = health[units];
      for (const PathHop& hop : one.hops) works *= hop_health(hop, health);
      sum += (one.trials - one.failures) * std::log(works) + one.failures * std::log1p(-works);
    }
    return sum;
  };
  std::vector<double> sums(units, 0);
  std::normal_distribution<double> move(0, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  double density = log_density();
  constexpr int kSweeps = 3000;
  constexpr int kBurnIn = 500;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t u = 0; u <= units; ++u) {
      // On the scale of the logit, with its Jacobian.
      const double old = health[u];
      const double logit = std::log(old) - std::log1p(-old) + move(random);
      const double next = std::clamp(1 / (1 + std::exp(-logit)), 1e-12, 1 - 1e-12);
      health[u] = next;
      const double moved = log_density();
      const double jacobian = std::log(next * (1 - next)) - std::log(old * (1 - old));
      if (std::log(uniform(random)) < moved - density + jacobian) {
        density = moved;
      } else {
        health[u] = old;
      }
    }
    for (std::size_t u = 0; u < units && sweep >= kBurnIn; ++u) sums[u] += health[u];
  }
  for (double& sum : sums) sum /= kSweeps - kBurnIn;
  return sums;
}

TEST(PathHealth, AgreesWithMonteCarloOfTheSameModel) {
  std::mt19937_64 random(7);
  const PathHealthOptions options;
  std::size_t judged = 0;
  for (int system = 0; system < 12; ++system) {
    // Two clients, two servers with two targets each; one unit of them fails by half or wholly.
    const std::size_t sick = static_cast<std::size_t>(system) % 8;
    const double serves = system < 8 ? 0.05 : 0.5;
    std::vector<PathTrials> paths;
    for (const std::size_t client : {0U, 1U}) {
      for (const std::size_t target : {0U, 1U, 2U, 3U}) {
        const std::vector<std::size_t> units{client, 2 + target / 2, 4 + target};
        const bool is_sick = std::ranges::find(units, sick) != units.end();
        std::binomial_distribution<int> fails(15, is_sick ? 1 - serves : 0.005);
        paths.push_back(path(units, 15, fails(random)));
      }
    }
    const auto quick = path_health(paths, 8, options).health;
    const auto plain = monte_carlo(paths, 8, options, random);
    EXPECT_NEAR(quick[sick].mean(), plain[sick], 0.12) << system;
    for (std::size_t u = 0; u < quick.size(); ++u) {
      EXPECT_EQ(quick[u].mean() < 0.75, u == sick) << system << " unit " << u;
      EXPECT_EQ(plain[u] < 0.75, u == sick) << system << " unit " << u << " by Monte Carlo";
      ++judged;
    }
  }
  EXPECT_EQ(judged, 96U);
}

TEST(PathHealth, TellsHowWellItIsExplainedThatAUnitIsHealthy) {
  const std::vector<PathTrials> paths{path({0, 1}, 20, 12), path({0, 2}, 20, 0)};
  const std::vector<std::size_t> well{1};
  PathHealthOptions options;
  const double freely = path_health(paths, 3, options).log_likelihood;
  options.well = well;
  const PathFit held = path_health(paths, 3, options);
  EXPECT_EQ(held.health[1].alpha, options.prior.alpha);
  EXPECT_LT(held.health[0].mean(), 0.9) << "somebody else has to have failed";
  EXPECT_GT(freely - held.log_likelihood, 6);
}

TEST(PathHealth, IsTheSameWhateverTheOrderOfPaths) {
  std::mt19937_64 random(11);
  std::vector<PathTrials> paths;
  for (std::size_t p = 0; p < 30; ++p) {
    paths.push_back(
        path({random() % 4, 4 + random() % 4, 8 + random() % 8}, 15, static_cast<double>(random() % 3)));
  }
  const auto forward = path_health(paths, 16).health;
  std::ranges::reverse(paths);
  const auto backward = path_health(paths, 16).health;
  for (std::size_t u = 0; u < forward.size(); ++u) EXPECT_NEAR(forward[u].mean(), backward[u].mean(), 1e-9);
}

}  // namespace
}  // namespace laggard::stats
