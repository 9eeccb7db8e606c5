#include "detect/pings/ping_localizer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "stats/beta.h"

namespace laggard::detect {

namespace {

/// By how much more likely what happened has to become by one more part that has failed, in nats: 1 in 400.
constexpr double kNeeded = 6;
/// A system of which more has failed at once is not looked at this closely.
constexpr std::size_t kMostFailed = 32;

/// A part by what makes it one: what a site calls such parts does not.
using Key = std::pair<PartKind, std::string>;

struct Unit {
  std::vector<Part> parts;
  std::vector<std::size_t> on;
};

/// The units of some paths, and which is whose.
class Units {
 public:
  Units(std::span<const PingCounts> counts, PingPaths& paths) {
    std::map<Key, std::vector<std::size_t>> on;
    std::map<Key, Part> parts;
    for (std::size_t p = 0; p < counts.size(); ++p) {
      for (const PingHop& hop : paths.of(counts[p].client, counts[p].target)) {
        for (const Part& part : hop.parts) {
          on[{part.kind, part.name}].push_back(p);
          parts.try_emplace({part.kind, part.name}, part);
        }
      }
    }
    std::map<std::vector<std::size_t>, std::size_t> classes;
    for (const auto& [key, list] : on) {
      const auto [at, added] = classes.try_emplace(list, units_.size());
      if (added) units_.push_back({{}, list});
      units_[at->second].parts.push_back(parts.at(key));
      unit_of_[key] = at->second;
    }
  }

  [[nodiscard]] std::span<const Unit> all() const { return units_; }
  /// The hops of a path in units, each unit once.
  [[nodiscard]] std::vector<stats::PathHop> hops(std::span<const PingHop> path) const {
    std::vector<stats::PathHop> all;
    std::vector<bool> passed(units_.size(), false);
    for (const PingHop& hop : path) {
      stats::PathHop in_units{.units = {}, .sharing = hop.sharing};
      for (const Part& part : hop.parts) {
        const std::size_t unit = unit_of_.at({part.kind, part.name});
        if (passed[unit]) continue;
        passed[unit] = true;
        in_units.units.push_back(unit);
      }
      if (in_units.units.empty()) continue;
      if (in_units.units.size() == 1) in_units.sharing = stats::PathHop::Sharing::kOne;
      all.push_back(std::move(in_units));
    }
    return all;
  }

 private:
  std::vector<Unit> units_;
  std::map<Key, std::size_t> unit_of_;
};

/// Puts first what a class is named by.
void name_class(std::vector<Part>& parts, std::span<const PingCounts> counts,
                std::span<const std::size_t> on) {
  std::ranges::sort(parts, {}, [&](const Part& part) {
    const std::string& target = counts[on.front()].target;
    const bool is_target = part.name == target || part.name.ends_with("/" + target);
    return std::tuple(!is_target, part.kind.spec().reach, part.kind, part.name);
  });
}

bool has_failed(const stats::UnitHealth& health) {
  return stats::beta_probability_below(kServes, health.alpha, health.beta) > kCertain;
}

/// A way to explain what failed.
struct Explanation {
  stats::PathFit fit;
  std::vector<std::size_t> failed;  ///< Units.
  double cost = 0;                  ///< In nats, with kNeeded for each of them.
};

Explanation explain(std::span<const stats::PathTrials> trials, std::size_t units,
                    std::span<const std::size_t> well) {
  Explanation one{.fit = stats::path_health(trials, units, {.well = well}), .failed = {}};
  for (std::size_t u = 0; u < units; ++u) {
    if (has_failed(one.fit.health[u])) one.failed.push_back(u);
  }
  one.cost = kNeeded * static_cast<double>(one.failed.size()) - one.fit.log_likelihood;
  return one;
}

/// The health of the units in the explanation that needs fewest: of those that have failed, one after the
/// other is taken for healthy as long as the rest, fitted anew, explains what failed at a lower cost. Eight
/// disks of a server that fails by half do not fail equally often, and each that is a little worse than the
/// others would be blamed beside the server.
std::vector<stats::UnitHealth> simplest_health(std::span<const stats::PathTrials> trials, std::size_t units) {
  std::vector<std::size_t> well;
  Explanation now = explain(trials, units, well);
  while (now.failed.size() > 1 && now.failed.size() <= kMostFailed) {
    std::optional<Explanation> best;
    std::size_t unneeded = 0;
    for (const std::size_t u : now.failed) {
      well.push_back(u);
      Explanation without = explain(trials, units, well);
      well.pop_back();
      if (best && without.cost >= best->cost) continue;
      best = std::move(without);
      unneeded = u;
    }
    if (best->cost >= now.cost) break;
    well.push_back(unneeded);
    now = std::move(*best);
  }
  return std::move(now.fit.health);
}

}  // namespace

std::vector<PingVerdict> localize_pings(std::span<const PingCounts> counts, PingPaths& paths) {
  const Units units(counts, paths);
  std::vector<stats::PathTrials> trials;
  for (const PingCounts& one : counts) {
    trials.push_back({.hops = units.hops(paths.of(one.client, one.target)),
                      .trials = static_cast<double>(one.trials),
                      .failures = static_cast<double>(one.failures)});
  }
  const std::vector<stats::UnitHealth> health = simplest_health(trials, units.all().size());
  std::vector<PingVerdict> verdicts;
  for (std::size_t u = 0; u < units.all().size(); ++u) {
    const Unit& unit = units.all()[u];
    PingVerdict verdict{.part = {}, .others = {}, .health = health[u], .on = unit.on};
    for (const std::size_t p : unit.on) {
      verdict.trials += counts[p].trials;
      verdict.failures += counts[p].failures;
    }
    if (verdict.failures == 0) continue;
    verdict.failed = stats::beta_probability_below(kServes, health[u].alpha, health[u].beta);
    std::vector<Part> parts = unit.parts;
    name_class(parts, counts, unit.on);
    verdict.part = parts.front();
    verdict.others.assign(parts.begin() + 1, parts.end());
    verdicts.push_back(std::move(verdict));
  }
  std::ranges::stable_sort(verdicts, std::greater<>{}, &PingVerdict::failed);
  return verdicts;
}

}  // namespace laggard::detect
