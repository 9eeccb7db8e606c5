#include "detect/pings/ping_localizer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "detect/pings/ping_units.h"
#include "stats/beta.h"

namespace laggard::detect {

namespace {

/// Where more has failed at once, not each is looked at by itself.
constexpr std::size_t kMostFailed = 32;
/// Of more than these several are left out at a time.
constexpr std::size_t kFewFailed = 8;

/// Puts first what a class is named by.
void name_class(std::vector<Part>& parts, const std::string& target) {
  std::ranges::sort(parts, {}, [&](const Part& part) {
    const bool is_target = part.name == target || part.name.ends_with("/" + target);
    return std::tuple(!is_target, part.kind.spec().reach, part.kind, part.name);
  });
}

double probability_of_failure(const stats::UnitHealth& health) {
  return stats::beta_probability_below(kServes, health.alpha, health.beta);
}

/// Most units are far from it.
bool has_failed(const stats::UnitHealth& health) {
  return health.mean() < (1 + kServes) / 2 && probability_of_failure(health) > kCertain;
}

/// A way to explain what failed.
struct Explanation {
  stats::PathFit fit;
  std::vector<std::size_t> failed;  ///< Units.
  double cost = 0;                  ///< In nats, with kNeeded for each part that must have failed.
};

}  // namespace

struct PingLocalizer::System {
  /// \param whole  with one unit more, the last, that all paths pass
  System(std::span<const std::vector<PingHop>> paths, std::vector<std::size_t> which, bool whole)
      : probed(std::move(which)),
        units(paths, probed),
        hidden(whole ? 1 : 0),
        model(hops(paths), units.all().size() + hidden) {}

  [[nodiscard]] std::vector<std::vector<stats::PathHop>> hops(
      std::span<const std::vector<PingHop>> paths) const {
    std::vector<std::vector<stats::PathHop>> all;
    all.reserve(probed.size());
    for (const std::size_t p : probed) {
      all.push_back(units.hops(paths[p]));
      if (hidden > 0) all.back().push_back({.units = {units.all().size()}});
    }
    return all;
  }

  /// Whether half of at least three parts of a kind have failed: clients, servers or disks.
  [[nodiscard]] bool have_most_of_a_kind_failed(std::span<const stats::UnitHealth> health) const {
    constexpr std::size_t kFewest = 3;
    std::map<PartKind, std::set<std::size_t>> of_kind;
    for (std::size_t u = 0; u < units.all().size(); ++u) {
      for (const Part& part : units.all()[u].parts) of_kind[part.kind].insert(u);
    }
    return std::ranges::any_of(of_kind, [&](const auto& entry) {
      const auto failed =
          std::ranges::count_if(entry.second, [&](std::size_t u) { return has_failed(health[u]); });
      return entry.second.size() >= kFewest && 2 * static_cast<std::size_t>(failed) >= entry.second.size();
    });
  }

  void count(std::span<const PingCounts> counts) {
    trials.clear();
    failures.clear();
    for (const std::size_t p : probed) {
      trials.push_back(static_cast<double>(counts[p].trials));
      failures.push_back(static_cast<double>(counts[p].failures));
    }
  }

  [[nodiscard]] std::size_t together(std::size_t unit) const {
    return unit < units.all().size() ? units.all()[unit].together : 1;
  }

  [[nodiscard]] Explanation explain(std::span<const std::size_t> well) const {
    Explanation one{.fit = model.fit(trials, failures, {.well = well}), .failed = {}};
    for (std::size_t u = 0; u < units.all().size() + hidden; ++u) {
      if (has_failed(one.fit.health[u])) one.failed.push_back(u);
    }
    std::size_t parts = 0;
    for (const std::size_t u : one.failed) parts += together(u);
    one.cost = kNeeded * static_cast<double>(parts) - one.fit.log_likelihood;
    return one;
  }

  /// Of many units that have failed those that explain least are taken for healthy, half of them at a time,
  /// as long as that costs less: a client that limps fails on each of a hundred groups of routers by another
  /// share.
  void leave_out_half(Explanation& now, std::vector<std::size_t>& well) const {
    const auto explained = [&](std::size_t u) {
      const std::size_t paths = u < units.all().size() ? units.all()[u].on.size() : probed.size();
      return static_cast<double>(paths) * (1 - now.fit.health[u].mean());
    };
    while (now.failed.size() > kMostFailed) {
      std::vector<std::size_t> failed = now.failed;
      std::ranges::stable_sort(failed, {}, explained);
      failed.resize(failed.size() / 2);
      std::vector<std::size_t> more = well;
      more.insert(more.end(), failed.begin(), failed.end());
      Explanation half = explain(more);
      if (half.cost >= now.cost) return;
      now = std::move(half);
      well = std::move(more);
    }
  }

  /// Of units that have failed the one that is needed least is taken for healthy; of more than kFewFailed the
  /// better half of those that are not needed, where that costs less. \return whether any was not needed.
  bool leave_out_unneeded(Explanation& now, std::vector<std::size_t>& well) const {
    std::optional<Explanation> best;
    std::vector<std::pair<double, std::size_t>> unneeded;  // By what it costs without them.
    for (const std::size_t u : now.failed) {
      well.push_back(u);
      Explanation without = explain(well);
      well.pop_back();
      if (without.cost >= now.cost) continue;
      unneeded.emplace_back(without.cost, u);
      if (!best || without.cost < best->cost) best = std::move(without);
    }
    if (!best) return false;
    std::ranges::stable_sort(unneeded, {}, &std::pair<double, std::size_t>::first);
    std::vector<std::size_t> more = well;
    more.push_back(unneeded.front().second);
    if (now.failed.size() > kFewFailed) {
      std::vector<std::size_t> many = well;
      for (std::size_t i = 0; 2 * i < unneeded.size(); ++i) many.push_back(unneeded[i].second);
      if (Explanation half = explain(many); half.cost < best->cost) {
        best = std::move(half);
        more = std::move(many);
      }
    }
    well = std::move(more);
    now = std::move(*best);
    return true;
  }

  /// The health of the units in the explanation that needs fewest: of those that have failed, one after the
  /// other is taken for healthy as long as the rest, fitted anew, explains what failed at a lower cost. Eight
  /// disks of a server that fails by half do not fail equally often, and each that is a little worse than
  /// the others would be blamed beside the server.
  ///
  /// Those that stand by for each other have failed only if that makes the failures likelier by kNeeded than
  /// that each has failed, or one disk of each, as a job does that is striped over both.
  [[nodiscard]] std::vector<stats::UnitHealth> simplest_health() const {
    std::vector<std::size_t> well;
    Explanation now = explain(well);
    std::vector<std::size_t> pairs;
    std::ranges::copy_if(now.failed, std::back_inserter(pairs),
                         [&](std::size_t u) { return together(u) > 1; });
    if (pairs.size() > kMostFailed) pairs.clear();
    for (const std::size_t u : pairs) {
      well.push_back(u);
      Explanation apart = explain(well);
      if (apart.cost <= now.cost + kNeeded) {
        now = std::move(apart);
      } else {
        well.pop_back();
      }
    }
    leave_out_half(now, well);
    while (now.failed.size() > 1 && now.failed.size() <= kMostFailed && leave_out_unneeded(now, well))
      continue;
    return std::move(now.fit.health);
  }

  std::vector<std::size_t> probed;  ///< Pairs, by number.
  PingUnits units;
  std::size_t hidden = 0;  ///< Units of the model that are no parts.
  stats::PathModel model;
  std::vector<double> trials;  ///< Of the probed ones.
  std::vector<double> failures;
};

PingLocalizer::PingLocalizer(const Grouping& grouping) : ways_(grouping) {}
PingLocalizer::PingLocalizer(PingLocalizer&&) noexcept = default;
PingLocalizer::~PingLocalizer() = default;

std::size_t PingLocalizer::number(const PingPair& pair) {
  const auto [at, added] = numbers_.try_emplace(pair, pairs_.size());
  if (added) {
    pairs_.push_back(pair);
    paths_.push_back(ways_.of(pair));
  }
  return at->second;
}

std::vector<PingVerdict> PingLocalizer::localize(std::span<const PingCounts> counts) {
  std::vector<std::size_t> probed;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (counts[p].trials > 0) probed.push_back(p);
  }
  if (!system_ || system_->probed != probed) {
    system_ = std::make_unique<System>(paths_, std::move(probed), false);
  }
  system_->count(counts);
  std::vector<stats::UnitHealth> health = system_->simplest_health();
  everywhere_ = false;
  if (system_->have_most_of_a_kind_failed(health)) {
    System with_whole(paths_, system_->probed, true);
    with_whole.count(counts);
    health = with_whole.simplest_health();
    everywhere_ = has_failed(health.back());
  }
  std::vector<PingVerdict> verdicts;
  for (std::size_t u = 0; u < system_->units.all().size(); ++u) {
    const PingUnit& unit = system_->units.all()[u];
    PingVerdict verdict{.part = {}, .others = {}, .health = health[u], .on = {}};
    for (const std::size_t p : unit.on) {
      verdict.trials += counts[p].trials;
      verdict.failures += counts[p].failures;
    }
    if (verdict.failures == 0) continue;
    verdict.on = unit.on;
    verdict.failed = probability_of_failure(health[u]);
    std::vector<Part> parts = unit.parts;
    name_class(parts, pairs_[unit.on.front()].target);
    verdict.part = parts.front();
    verdict.others.assign(parts.begin() + 1, parts.end());
    verdicts.push_back(std::move(verdict));
  }
  std::ranges::stable_sort(verdicts, std::greater<>{}, &PingVerdict::failed);
  return verdicts;
}

}  // namespace laggard::detect
