#include "stats/failed_units.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/error.h"
#include "stats/path_health.h"

namespace laggard::stats {

namespace {

/// A unit that might lose something, and by how much that makes likelier what failed, in nats.
struct Candidate {
  std::size_t unit = 0;
  double gain = 0;
};

/// The paths of a system and what became of them, seen by unit.
class LossSearch {
 public:
  LossSearch(std::span<const std::vector<std::size_t>> paths, std::size_t units,
             std::span<const double> trials, std::span<const double> failures)
      : paths_(paths),
        trials_(trials),
        failures_(failures),
        noise_(units),
        model_(hops(paths, noise_), units + 1),
        through_(units + 1),
        failing_(units + 1) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
      for (const std::size_t u : paths[p]) {
        through_[u] += trials[p];
        if (failures[p] > 0) failing_[u].push_back(p);
      }
    }
  }

  /// What the losses of some units and of the noise come to.
  struct Explanation {
    std::vector<std::size_t> lossy;
    PathFit fit;
  };
  [[nodiscard]] Explanation explain(std::vector<std::size_t> lossy) const {
    std::vector<std::size_t> well;
    for (std::size_t u = 0; u < noise_; ++u) {
      if (std::ranges::find(lossy, u) == lossy.end()) well.push_back(u);
    }
    // Nothing is thought of losses beforehand, so that those of the well are nothing; the noise is a unit as
    // others, and there is no other one.
    constexpr UnitHealth kPrior{1, 1e-9};
    constexpr UnitHealth kNothing{1e15, 1e-9};
    PathFit fit = model_.fit(trials_, failures_, {.prior = kPrior, .noise = kNothing, .well = well});
    return {std::move(lossy), std::move(fit)};
  }

  /// The unit that has not been named and explains most beside those that are.
  [[nodiscard]] std::optional<Candidate> best_beside(const Explanation& now) const {
    std::vector<double> lost(paths_.size());
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      if (failures_[p] > 0) lost[p] = loss_of(p, now.fit);
    }
    std::optional<Candidate> best;
    for (std::size_t u = 0; u < noise_; ++u) {
      if (failing_[u].empty() || std::ranges::find(now.lossy, u) != now.lossy.end()) continue;
      const Candidate one = beside(u, lost);
      if (!best || one.gain > best->gain) best = one;
    }
    return best;
  }

  /// Which of the named ones costs least to leave out.
  [[nodiscard]] std::optional<Explanation> without_one(const Explanation& now) const {
    std::optional<Explanation> best;
    for (const std::size_t u : now.lossy) {
      std::vector<std::size_t> others = now.lossy;
      std::erase(others, u);
      Explanation without = explain(std::move(others));
      if (!best || without.fit.log_likelihood > best->fit.log_likelihood) best = std::move(without);
    }
    return best;
  }

 private:
  static std::vector<std::vector<PathHop>> hops(std::span<const std::vector<std::size_t>> paths,
                                                std::size_t noise) {
    std::vector<std::vector<PathHop>> all;
    all.reserve(paths.size());
    for (const std::vector<std::size_t>& path : paths) {
      std::vector<PathHop>& one = all.emplace_back();
      for (const std::size_t u : path) one.push_back({.units = {u}});
      one.push_back({.units = {noise}});
    }
    return all;
  }

  [[nodiscard]] double loss_of(std::size_t path, const PathFit& fit) const {
    double served = fit.health[noise_].mean();
    for (const std::size_t u : paths_[path]) served *= fit.health[u].mean();
    return 1 - served;
  }

  /// How likely it would make what failed if it alone lost something besides: expectation maximization over
  /// its own loss x, of which the share x / (1 - (1 - lost) (1 - x)) of a path's failures is.
  [[nodiscard]] Candidate beside(std::size_t unit, std::span<const double> lost) const {
    constexpr int kRounds = 20;
    double failed = 0;
    for (const std::size_t p : failing_[unit]) failed += failures_[p];
    double x = failed / through_[unit];
    for (int round = 0; round < kRounds; ++round) {
      double own = 0;
      for (const std::size_t p : failing_[unit]) own += failures_[p] * x / (lost[p] + x - lost[p] * x);
      x = own / through_[unit];
    }
    x = std::min(x, 1 - 1e-9);
    double gain = (through_[unit] - failed) * std::log1p(-x);
    for (const std::size_t p : failing_[unit]) {
      gain += failures_[p] * std::log((lost[p] + x - lost[p] * x) / lost[p]);
    }
    return {.unit = unit, .gain = gain};
  }

  std::span<const std::vector<std::size_t>> paths_;
  std::span<const double> trials_;
  std::span<const double> failures_;
  std::size_t noise_;  ///< The unit of that.
  PathModel model_;
  std::vector<double> through_;                    ///< Trials, by unit.
  std::vector<std::vector<std::size_t>> failing_;  ///< Paths on which something failed, by unit.
};

}  // namespace

double needed_nats(std::size_t units, double mistaken) {
  const double each = 2 * mistaken / static_cast<double>(std::max<std::size_t>(units, 1));
  double low = 0;
  double high = 700;  // Beyond what doubles tell from nothing.
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(std::sqrt(middle)) > each ? low : high) = middle;
  }
  return high;
}

std::vector<FailedUnit> failed_units(std::span<const std::vector<std::size_t>> paths, std::size_t units,
                                     std::span<const double> trials, std::span<const double> failures,
                                     double mistaken) {
  LAGGARD_CHECK(trials.size() == paths.size() && failures.size() == paths.size());
  const LossSearch search(paths, units, trials, failures);
  const double needed = needed_nats(units, mistaken);
  LossSearch::Explanation now = search.explain({});
  while (const auto next = search.best_beside(now)) {
    if (next->gain < needed) break;
    std::vector<std::size_t> more = now.lossy;
    more.push_back(next->unit);
    LossSearch::Explanation with = search.explain(std::move(more));
    if (with.fit.log_likelihood - now.fit.log_likelihood < needed) break;
    now = std::move(with);
  }
  while (now.lossy.size() > 1) {
    auto without = search.without_one(now);
    if (now.fit.log_likelihood - without->fit.log_likelihood >= needed) break;
    now = std::move(*without);
  }
  std::vector<FailedUnit> failed;
  for (const std::size_t u : now.lossy) failed.push_back({u, 1 - now.fit.health[u].mean()});
  std::ranges::stable_sort(failed, std::greater<>{}, &FailedUnit::loss);
  return failed;
}

}  // namespace laggard::stats
