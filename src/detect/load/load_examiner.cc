#include "detect/load/load_examiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "stats/local_outlier.h"
#include "stats/quantile.h"

namespace laggard::detect {

namespace {

/// As loads are compared.
double scaled_load(std::size_t metric, double level) {
  const LoadMetric& load = kLoads[metric];
  const double y = std::log2(1 + level / load.step);
  return load.falls ? -y : y;
}

/// One metric of a suspect among its peers.
struct Standing {
  std::size_t metric = 0;
  double own = 0;
  double peers = 0;   ///< Their median.
  double excess = 0;  ///< In spreads.
  double before = 0;  ///< Its own load before the incident, maybe missing.
  /// What a host did before, and nobody complained, is no load that is too much.
  [[nodiscard]] bool has_risen() const {
    return std::isnan(before) ||
           scaled_load(metric, own) - scaled_load(metric, before) > LoadExaminer::kLeastSpread;
  }
};

/// A suspect that was held against its peers.
struct Comparison {
  double factor = 0;                ///< Its LOF, ...
  double most = 0;                  ///< ... and the largest of a peer but for the odd ones.
  std::vector<Standing> standings;  ///< The highest first.
  [[nodiscard]] double ratio() const { return factor / most; }
};

/// A suspect's load, during its incident and before.
struct OwnLoad {
  LoadLevels now;
  LoadLevels before;
};

/// \param peers  all have all the metrics.
Comparison compare(const OwnLoad& suspect, std::span<const LoadLevels> peers,
                   std::span<const std::size_t> metrics) {
  const LoadLevels& own = suspect.now;
  Comparison comparison;
  const std::size_t dimensions = metrics.size();
  std::vector<double> points((peers.size() + 1) * dimensions);
  std::vector<double> scratch;
  for (std::size_t m = 0; m < dimensions; ++m) {
    const std::size_t metric = metrics[m];
    std::vector<double> column;
    std::vector<double> levels;
    for (const LoadLevels& peer : peers) {
      column.push_back(scaled_load(metric, peer[metric]));
      levels.push_back(peer[metric]);
    }
    const double middle = stats::median(column, scratch);
    const double spread = std::max(stats::mad(column, scratch), LoadExaminer::kLeastSpread);
    column.insert(column.begin(), scaled_load(metric, own[metric]));
    for (std::size_t p = 0; p < column.size(); ++p) {
      points[p * dimensions + m] = (column[p] - middle) / spread;
    }
    comparison.standings.push_back(
        {metric, own[metric], stats::median(levels, scratch), points[m], suspect.before[metric]});
  }
  // Were all others neighbours of a peer, the suspect would be, too, and all of them equally lonely.
  const std::size_t neighbours = std::min(LoadExaminer::kNeighbours, peers.size() - 1);
  std::vector<double> factors = stats::local_outlier_factors(points, dimensions, {.neighbours = neighbours});
  comparison.factor = factors.front();
  std::ranges::sort(factors.begin() + 1, factors.end(), std::greater<>{});
  comparison.most = factors[1 + peers.size() / LoadExaminer::kOddOnes];
  std::ranges::stable_sort(comparison.standings, std::greater<>{}, &Standing::excess);
  return comparison;
}

bool does_more(const Comparison& comparison) {
  return std::ranges::any_of(comparison.standings, [](const Standing& each) {
    return kLoads[each.metric].side == LoadSide::kWork && each.excess > LoadExaminer::kHigh &&
           each.has_risen();
  });
}

bool is_overload(const Comparison& comparison) {
  return comparison.ratio() > LoadExaminer::kOutlier && does_more(comparison);
}

bool knows_work(std::span<const std::size_t> metrics) {
  return std::ranges::any_of(metrics, [](std::size_t m) { return kLoads[m].side == LoadSide::kWork; });
}

std::string with_unit(double level, std::string_view unit) {
  const std::string text = level >= 1e3 ? fmt::format("{:.0f}", level) : fmt::format("{:.3g}", level);
  return text + (unit.empty() || unit.starts_with('/') ? "" : " ") + std::string(unit);
}

Evidence evidence_of(const Comparison& comparison, std::size_t peers) {
  Evidence evidence;
  evidence.detector = "lof";
  evidence.distance = comparison.factor;
  evidence.threshold = LoadExaminer::kOutlier * comparison.most;
  evidence.score = evidence.distance / evidence.threshold;
  evidence.peer_count = peers;
  return evidence;
}

Evidence calm_of(std::string_view host, const Comparison& comparison, std::size_t peers) {
  Evidence evidence = evidence_of(comparison, peers);
  evidence.mode = FailureMode::kReliability;
  evidence.surmised = true;
  evidence.waits = true;
  evidence.note = fmt::format(
      "{} has no more to do than its {} healthy peers or than before, and requests fail", host, peers);
  return evidence;
}

Evidence overload_of(std::string_view host, const Comparison& comparison, std::size_t peers) {
  Evidence evidence = evidence_of(comparison, peers);
  evidence.mode = FailureMode::kOverload;
  std::string high;
  constexpr std::size_t kMostNamed = 3;
  std::size_t named = 0;
  TablePayload table{.columns = {"load", "own", "own before", "peers' median", "spreads above"}, .rows = {}};
  for (const Standing& each : comparison.standings) {
    const LoadMetric& load = kLoads[each.metric];
    if (each.excess > LoadExaminer::kHigh && named++ < kMostNamed) {
      high += fmt::format("{}{} {} (peers {})", high.empty() ? "" : ", ", load.name,
                          with_unit(each.own, load.unit), with_unit(each.peers, load.unit));
    }
    table.rows.push_back({std::string(load.name), with_unit(each.own, load.unit),
                          std::isnan(each.before) ? "–" : with_unit(each.before, load.unit),
                          with_unit(each.peers, load.unit), fmt::format("{:.1f}", each.excess)});
  }
  evidence.note = fmt::format(
      "{} has more to do than its {} healthy peers: {}; its local outlier factor is {:.3g}, theirs at most "
      "{:.3g}",
      host, peers, high, comparison.factor, comparison.most);
  evidence.payloads.push_back({"load", std::move(table)});
  return evidence;
}

}  // namespace

/// What the suspect has and most peers have, and the peers that have all of that.
LoadExaminer::Peers LoadExaminer::comparable(const LoadLevels& own, std::span<const LoadLevels> peers) {
  const auto known = [](const LoadLevels& levels, std::size_t metric) { return !std::isnan(levels[metric]); };
  Peers result;
  for (std::size_t metric = 0; metric < kLoadMetrics; ++metric) {
    const auto having = static_cast<std::size_t>(
        std::ranges::count_if(peers, [&](const LoadLevels& each) { return known(each, metric); }));
    if (known(own, metric) && 2 * having >= peers.size()) result.metrics.push_back(metric);
  }
  for (const LoadLevels& each : peers) {
    if (std::ranges::all_of(result.metrics, [&](std::size_t metric) { return known(each, metric); })) {
      result.levels.push_back(each);
    }
  }
  return result;
}

bool LoadExaminer::may_be_calm(const Suspicion& suspicion, std::string_view host) const {
  const WallTime first_minutes = suspicion.interval.from + kCalmMinutes * LoadHistory::kCell;
  const bool is_disk = suspicion.suspect.kind == PartKind::kDisk || suspicion.suspect.kind == PartKind::kLun;
  return suspicion.fails && suspicion.interval.to > first_minutes &&
         (!is_disk || history_.disks(host) <= kFewDisks);
}

std::vector<Evidence> LoadExaminer::examine(const Suspicion& suspicion) const {
  const std::vector<std::string> own = hosts_.of(suspicion.accused());
  std::vector<LoadLevels> healthy;
  for (const std::string& host : hosts_.some_of(suspicion.healthy, own, kMostPeers)) {
    healthy.push_back(history_.levels(host, suspicion.interval, kLeastMinutes));
  }
  std::optional<Evidence> strongest;
  std::optional<Evidence> calm;
  bool are_calm = true;
  const WallTime begin = suspicion.interval.from;
  // Of what began earlier, nobody has kept what was before.
  const TimeSpan before{suspicion.is_cut ? begin : begin - kBefore, begin - LoadHistory::kCell};
  for (const std::string& host : own) {
    const OwnLoad load{history_.levels(host, suspicion.interval, kLeastMinutes),
                       history_.levels(host, before, kLeastMinutes)};
    const Peers peers = comparable(load.now, healthy);
    if (peers.metrics.empty() || peers.levels.size() < kLeastPeers) continue;
    const Comparison comparison = compare(load, peers.levels, peers.metrics);
    if (does_more(comparison) || !knows_work(peers.metrics) || !may_be_calm(suspicion, host)) {
      are_calm = false;
    } else if (!calm) {
      calm = calm_of(host, comparison, peers.levels.size());
    }
    if (!is_overload(comparison)) continue;
    Evidence evidence = overload_of(host, comparison, peers.levels.size());
    if (!strongest || evidence.score > strongest->score) strongest = std::move(evidence);
  }
  if (strongest) return {std::move(*strongest)};
  if (calm && are_calm) return {std::move(*calm)};
  return {};
}

}  // namespace laggard::detect
