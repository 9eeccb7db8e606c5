#include "lab/production/incident.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace laggard::lab::production {

namespace {

struct KindSpec {
  IncidentKind kind;
  std::string_view name;
  FailureMode mode;
  double share;  ///< Of all incidents of its mode.
};

constexpr std::array<KindSpec, kIncidentKinds> kKinds{{
    {IncidentKind::kDiskRebuild, "disk-rebuild", FailureMode::kReliability, 0.30},
    {IncidentKind::kDiskLimps, "disk-limps", FailureMode::kReliability, 0.12},
    {IncidentKind::kServerHangs, "server-hangs", FailureMode::kReliability, 0.10},
    {IncidentKind::kServerLimps, "server-limps", FailureMode::kReliability, 0.10},
    {IncidentKind::kFailover, "failover", FailureMode::kReliability, 0.10},
    {IncidentKind::kRouterDrops, "router-drops", FailureMode::kReliability, 0.08},
    {IncidentKind::kMetadataHangs, "metadata-hangs", FailureMode::kReliability, 0.05},
    {IncidentKind::kRackLoses, "rack-loses", FailureMode::kReliability, 0.05},
    {IncidentKind::kClientLimps, "client-limps", FailureMode::kReliability, 0.05},
    {IncidentKind::kRebuildChain, "rebuild-chain", FailureMode::kReliability, 0.05},
    {IncidentKind::kTargetOverload, "target-overload", FailureMode::kOverload, 0.40},
    {IncidentKind::kServerOverload, "server-overload", FailureMode::kOverload, 0.25},
    {IncidentKind::kStripedOverload, "striped-overload", FailureMode::kOverload, 0.15},
    {IncidentKind::kMetadataOverload, "metadata-overload", FailureMode::kOverload, 0.20},
}};

const KindSpec& spec_of(IncidentKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

IncidentKind draw_kind_of(FailureMode mode, Random& random) {
  double left = random.uniform();
  IncidentKind last = IncidentKind::kTargetOverload;
  for (const KindSpec& spec : kKinds) {
    if (spec.mode != mode) continue;
    last = spec.kind;
    left -= spec.share;
    if (left < 0) break;
  }
  return last;
}

Part part_at(Stage stage, std::size_t index, const std::vector<Part>& clients) {
  switch (stage) {
    case Stage::kTarget:
      return Site::target(index);
    case Stage::kServer:
      return Site::server(index);
    case Stage::kRouter:
      return Site::router(index);
    case Stage::kMetadata:
      return Site::metadata_server(index);
    case Stage::kRack:
      return Site::rack(index);
    case Stage::kClient:
      return clients[index];
  }
  return {};
}

/// Builds the effects and the truth of one incident.
class Maker {
 public:
  Maker(ProductionIncident& incident, Random& random, const std::vector<Part>& clients)
      : incident_(incident), random_(random), clients_(clients) {}

  void make() {
    switch (incident_.kind) {
      case IncidentKind::kDiskRebuild:
        return accuse(Stage::kTarget, rebuild(any(Site::kTargets)));
      case IncidentKind::kDiskLimps:
        return accuse(Stage::kTarget, limp(Stage::kTarget, Site::kTargets));
      case IncidentKind::kServerHangs:
        return accuse(Stage::kServer, hang(Stage::kServer, any(Site::kServers)));
      case IncidentKind::kServerLimps:
        return accuse(Stage::kServer, limp(Stage::kServer, Site::kServers));
      case IncidentKind::kFailover:
        return fail_over(any(Site::kServers));
      case IncidentKind::kRouterDrops:
        return accuse(Stage::kRouter, lose(Stage::kRouter, Site::kRouters, 0.5));
      case IncidentKind::kMetadataHangs:
        return accuse(Stage::kMetadata, hang(Stage::kMetadata, any(Site::kMetadataServers)));
      case IncidentKind::kRackLoses:
        return accuse(Stage::kRack, lose(Stage::kRack, Site::kRacks, 0.3));
      case IncidentKind::kClientLimps:
        return accuse(Stage::kClient, limp(Stage::kClient, clients_.size()));
      case IncidentKind::kRebuildChain:
        return chain(any(Site::kTargets));
      case IncidentKind::kTargetOverload:
        return accuse(Stage::kTarget, flood(Stage::kTarget, any(Site::kTargets)));
      case IncidentKind::kServerOverload:
        return accuse(Stage::kServer, flood(Stage::kServer, any(Site::kServers)));
      case IncidentKind::kStripedOverload:
        return stripe(any(Site::kTargets));
      case IncidentKind::kMetadataOverload:
        return accuse(Stage::kMetadata, flood(Stage::kMetadata, any(Site::kMetadataServers)));
    }
  }

 private:
  std::size_t any(std::size_t count) { return static_cast<std::size_t>(random_.below(count)); }

  Effect& add(Stage stage, std::size_t index) {
    incident_.effects.push_back(
        {.stage = stage, .index = index, .from = incident_.start, .to = incident_.stop});
    return incident_.effects.back();
  }

  void accuse(Stage stage, std::size_t index) {
    const Part part = part_at(stage, index, clients_);
    incident_.troubles.push_back({part, Site::alike(part)});
  }

  std::size_t rebuild(std::size_t target) {
    Effect& effect = add(Stage::kTarget, target);
    effect.capacity = random_.uniform(0.4, 0.8);  // K §VII-A: a certain amount of bandwidth.
    effect.load = random_.uniform(0.5, 1.2);
    return target;
  }

  /// Errors that are retried, or a processor that is throttled: a share of requests waits for seconds.
  std::size_t limp(Stage stage, std::size_t count) {
    const std::size_t index = any(count);
    Effect& effect = add(stage, index);
    effect.delays = random_.uniform(0.25, 0.9);
    effect.delay_s = random_.uniform(1, 10);
    effect.least_delay_s = random_.uniform(0.5, 2);
    return index;
  }

  std::size_t hang(Stage stage, std::size_t index) {
    add(stage, index).hangs = true;
    return index;
  }

  std::size_t lose(Stage stage, std::size_t count, double least) {
    const std::size_t index = any(count);
    Effect& effect = add(stage, index);
    const double share = random_.uniform(least, 1);
    if (random_.chance(0.5)) {  // Whoever sends again does so after seconds.
      effect.delays = share;
      effect.least_delay_s = random_.uniform(1.5, 5);
    } else {
      effect.loses = share;
    }
    return index;
  }

  std::size_t flood(Stage stage, std::size_t index) {
    add(stage, index).load = random_.uniform(1.3, 3);
    return index;
  }

  void fail_over(std::size_t server) {
    accuse(Stage::kServer, server);
    const Seconds taken =
        std::min<Seconds>(120 + static_cast<Seconds>(random_.below(480)), incident_.stop - incident_.start);
    Effect& gone = add(Stage::kServer, server);
    gone.hangs = true;
    gone.to = incident_.start + taken;
    Effect& failed_over = add(Stage::kServer, server);
    failed_over.from = gone.to;
    failed_over.fails_over = true;
    const std::size_t partner = Site::partner_of(server);
    incident_.consequences.push_back(Site::server(partner));
    for (const std::size_t target : Site::targets_of(partner)) {
      incident_.consequences.push_back(Site::target(target));
    }
    for (const std::size_t target : Site::targets_of(server)) {
      incident_.consequences.push_back(Site::target(target));
    }
  }

  void chain(std::size_t target) {
    accuse(Stage::kTarget, rebuild(target));
    const std::size_t own = Site::server_of(target);
    const Seconds length = incident_.stop - incident_.start;
    for (const std::size_t server : {own, Site::partner_of(own)}) {
      Effect& loaded = add(Stage::kServer, server);
      loaded.from = incident_.start + length / 3;
      loaded.load = random_.uniform(1, 2);
      Effect& hung = add(Stage::kServer, server);
      hung.from = incident_.start + 2 * length / 3;
      hung.hangs = true;
      incident_.consequences.push_back(Site::server(server));
      for (const std::size_t its : Site::targets_of(server)) {
        incident_.consequences.push_back(Site::target(its));
      }
    }
  }

  /// Over targets of one file system that follow each other at a distance.
  void stripe(std::size_t first) {
    const std::size_t width = 3 + any(4);
    const std::size_t step = 1 + any(5);
    const double load = random_.uniform(1.3, 2.5);
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t target = (first + i * step) % Site::kTargets;
      if (Site::file_system_of(target) != Site::file_system_of(first)) break;
      add(Stage::kTarget, target).load = load;
      accuse(Stage::kTarget, target);
    }
  }

  ProductionIncident& incident_;
  Random& random_;
  const std::vector<Part>& clients_;
};

}  // namespace

std::string_view to_name(IncidentKind kind) { return spec_of(kind).name; }
FailureMode mode_of(IncidentKind kind) { return spec_of(kind).mode; }

IncidentKind draw_kind(std::uint64_t number, Random& random) {
  constexpr std::uint64_t kReliable = 346;
  constexpr std::uint64_t kAll = 843;
  const bool is_reliability = (number % kAll + 1) * kReliable / kAll > number % kAll * kReliable / kAll;
  return draw_kind_of(is_reliability ? FailureMode::kReliability : FailureMode::kOverload, random);
}

ProductionIncident make_incident(IncidentKind kind, Seconds start, Seconds stop, Random random,
                                 const std::vector<Part>& clients) {
  ProductionIncident incident{.kind = kind, .start = start, .stop = stop};
  Maker(incident, random, clients).make();
  return incident;
}

std::vector<ProductionIncident> make_transients(Seconds length, const Random& random,
                                                const std::vector<Part>& clients) {
  constexpr double kOverloadsAnHour = 25'427.0 / (730 * 24);
  constexpr double kLossesAnHour = 0.3;
  constexpr Seconds kMinute = 60;
  Random draw = random.fork("transients");
  std::vector<ProductionIncident> all;
  const double hours = static_cast<double>(length) / 3600;
  const auto add = [&](IncidentKind kind, Seconds lasts) {
    const auto start = static_cast<Seconds>(draw.below(static_cast<std::uint64_t>(length)));
    all.push_back(make_incident(kind, start, start + lasts, random.fork("transient", all.size()), clients));
    all.back().transient = true;
  };
  for (std::uint64_t n = draw.poisson(kOverloadsAnHour * hours); n > 0; --n) {
    const double minutes = std::min(4 * std::exp(draw.normal()), 29.0);
    add(draw_kind_of(FailureMode::kOverload, draw), static_cast<Seconds>(std::llround(minutes * kMinute)));
  }
  for (std::uint64_t n = draw.poisson(kLossesAnHour * hours); n > 0; --n) {
    const bool is_rack = draw.chance(0.5);
    add(is_rack ? IncidentKind::kRackLoses : IncidentKind::kRouterDrops,
        10 + static_cast<Seconds>(draw.below(45)));
  }
  return all;
}

}  // namespace laggard::lab::production
