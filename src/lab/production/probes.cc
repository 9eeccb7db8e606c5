#include "lab/production/probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace laggard::lab::production {

namespace {

constexpr Seconds kMinute = 60;
constexpr double kSlo = 1;  ///< K §IV-A.
constexpr double kNever = std::numeric_limits<double>::infinity();
/// Of the logarithm of what a probe takes where nothing waits, ...
constexpr double kLatencySpread = 0.6;
/// ... and the exponent of the Pareto distribution of those that are slow, from 0.8 s on.
constexpr double kSlowExponent = 1.2;
constexpr double kSlowFrom = 0.8;
/// Probes of a round are sent over this time, all at once being too many for a client.
constexpr double kSpreadSeconds = 2;
/// K §VI-C: all are launched within ten seconds.
constexpr double kLastLaunch = 10;
constexpr double kPrompt = 3;
constexpr std::size_t kQueues = 4;

constexpr std::array<std::string_view, 3> kOperations{"WrEx", "CrWr", "RmEx"};

constexpr std::array<std::size_t, kStages> kCounts{Site::kTargets,         Site::kServers, Site::kRouters,
                                                   Site::kMetadataServers, Site::kRacks,   0};

/// Targets that names are made on: one for each metadata server, of its file system.
constexpr std::array<std::size_t, Site::kMetadataServers> kNamedTargets{5, 23, 41, 59, 77, 265};

std::size_t index_of(Stage stage) { return static_cast<std::size_t>(stage); }

}  // namespace

std::vector<Part> choose_clients(Random random) {
  std::vector<Part> clients;
  for (std::size_t c = 0; c < Site::kLogins; ++c) clients.push_back(Site::client(ClientKind::kLogin, c));
  clients.push_back(Site::client(ClientKind::kService, random.below(Site::kServiceNodes)));
  clients.push_back(Site::client(ClientKind::kImportExport, random.below(Site::kImportNodes)));
  return clients;
}

Probes::Probes(const Site& site, const Stretch& stretch, Random random)
    : site_(site),
      stretch_(stretch),
      random_(random.fork("probes")),
      turn_(Site::kGroups, 0),
      failed_over_(Site::kServers, false) {
  const SiteParameters& parameters = site_.parameters();
  for (std::size_t stage = 0; stage < kQueues; ++stage) {
    const double load = stage == index_of(Stage::kTarget) ? parameters.disk_load : parameters.server_load;
    queues_.emplace_back(kCounts[stage], load, parameters, random.fork("queues", stage));
  }
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    now_.emplace_back(std::max(kCounts[stage], stretch.clients.size()));
  }
}

double Probes::prompt_share() const {
  return static_cast<double>(prompt_rounds_) / static_cast<double>(rounds_);
}

void Probes::run(const Sink& sink) {
  for (Seconds minute = 0; minute < stretch_.length; minute += kMinute) {
    const std::vector<Probe> probes = round();
    std::vector<EventTable> tables;
    for (const Part& client : stretch_.clients) tables.emplace_back(client.name, "ping");
    for (StageQueues& queues : queues_) queues.begin_minute();
    std::size_t next = 0;
    for (Seconds second = 0; second < kMinute; ++second) {
      apply(minute + second);
      step();
      for (; next < probes.size() && probes[next].at < static_cast<double>(second + 1); ++next) {
        record(probes[next], minute, tables);
      }
    }
    sink(std::move(tables));
  }
}

std::vector<Probes::Probe> Probes::round() {
  std::vector<Probe> probes;
  for (std::size_t client = 0; client < stretch_.clients.size(); ++client) {
    const double begin = std::min(site_.parameters().launch_seconds * random_.exponential(), kLastLaunch);
    ++rounds_;
    if (begin <= kPrompt) ++prompt_rounds_;
    const auto add = [&](std::size_t target, Operation operation, bool is_metadata) {
      probes.push_back({begin + kSpreadSeconds * random_.uniform(), client, target, operation, is_metadata});
    };
    for (std::size_t target = 0; target < Site::kTargets; ++target) {
      add(target, Operation::kWriteExisting, false);
      add(target, Operation::kWriteExisting, false);
    }
    for (const Operation operation : {Operation::kCreate, Operation::kRemove}) {
      for (std::size_t m = 0; m < Site::kMetadataServers; ++m) {
        add(m, operation, true);
        add(kNamedTargets[m], operation, false);
      }
    }
  }
  std::ranges::sort(probes, {}, &Probe::at);
  return probes;
}

/// Effects that begin or end now.
void Probes::apply(Seconds now) {
  std::vector<const Effect*> active;
  for (const ProductionIncident& incident : stretch_.incidents) {
    for (const Effect& effect : incident.effects) {
      if (effect.from <= now && now < effect.to) active.push_back(&effect);
    }
  }
  if (active == active_) return;
  for (const Effect* effect : active_) now_[index_of(effect->stage)][effect->index].clear();
  active_ = std::move(active);
  failed_over_.assign(Site::kServers, false);
  for (StageQueues& queues : queues_) queues.relax();
  for (const Effect* effect : active_) {
    auto& effects = now_[index_of(effect->stage)][effect->index];
    effects.push_back(effect);
    if (effect->fails_over) failed_over_[effect->index] = true;
    if (index_of(effect->stage) >= kQueues) continue;
    StageQueues::Strain strain;
    for (const Effect* each : effects) {
      strain.load += each->load;
      strain.capacity = std::min(strain.capacity, each->capacity);
    }
    queues_[index_of(effect->stage)].strain(effect->index, strain);
  }
}

/// Whoever serves for its partner has the work of both; it was bought for one.
void Probes::strain_servers() {
  StageQueues& servers = queues_[index_of(Stage::kServer)];
  for (const Effect* effect : active_) {
    if (!effect->fails_over) continue;
    StageQueues::Strain strain;
    for (const Effect* each : now_[index_of(Stage::kServer)][Site::partner_of(effect->index)]) {
      strain.load += each->load;
    }
    constexpr double kOfOthers = 2;  // Its cache is cold, and clients send again what was lost.
    strain.load += kOfOthers * servers.load(effect->index);
    servers.strain(Site::partner_of(effect->index), strain);
  }
}

void Probes::step() {
  strain_servers();
  for (StageQueues& queues : queues_) queues.step();
}

double Probes::passes(Stage stage, std::size_t index) {
  double time = index_of(stage) < kQueues ? queues_[index_of(stage)].waiting(index) : 0;
  for (const Effect* effect : now_[index_of(stage)][index]) {
    if (effect->hangs || random_.chance(effect->loses)) return kNever;
    if (random_.chance(effect->delays)) {
      time += effect->least_delay_s + effect->delay_s * random_.exponential();
    }
  }
  return time;
}

std::size_t Probes::serving(std::size_t target) const {
  const std::size_t own = Site::server_of(target);
  return failed_over_[own] ? Site::partner_of(own) : own;
}

double Probes::over_routers(std::size_t group, std::size_t client) {
  if (!stretch_.clients[client].name.starts_with("nid")) return 0;
  const auto [first, last] = Site::routers_of(group);
  return passes(Stage::kRouter, first + turn_[group]++ % (last - first));
}

double Probes::takes(const Probe& probe) {
  const SiteParameters& parameters = site_.parameters();
  double time = parameters.latency_ms / 1000 * std::exp(kLatencySpread * random_.normal());
  if (random_.chance(parameters.slow_share)) {
    time += kSlowFrom * std::pow(1 - random_.uniform(), -1 / kSlowExponent);
  }
  time += passes(Stage::kClient, probe.client);
  if (probe.operation != Operation::kWriteExisting) {
    const std::size_t any_of_two = 2 * Site::file_system_of(probe.target) + random_.below(2);
    const std::size_t metadata = probe.is_metadata ? probe.target : any_of_two;
    time += over_routers(Site::group_of_metadata(metadata), probe.client);
    time += passes(Stage::kMetadata, metadata);
  }
  if (probe.is_metadata) return time;
  const std::size_t server = serving(probe.target);
  time += over_routers(Site::group_of_server(server), probe.client);
  time += passes(Stage::kRack, Site::rack_of(probe.target));
  time += passes(Stage::kServer, server);
  return time + passes(Stage::kTarget, probe.target);
}

void Probes::record(const Probe& probe, Seconds minute, std::vector<EventTable>& tables) {
  EventTable& table = tables[probe.client];
  const double time = takes(probe);
  const bool failed = time >= kSlo;
  ++sent_;
  if (failed) ++failed_;
  const auto word = [&](std::string_view text) { return table.intern(text).value_or(kNoWord); };
  const Part target = probe.is_metadata ? Site::metadata_server(probe.target) : Site::target(probe.target);
  EventTable::Event event{.time = stretch_.begin + std::chrono::seconds(minute) + from_seconds(probe.at),
                          .duration = {},
                          .subject = word(target.name),
                          .what = word(failed ? "timeout" : "ok")};
  if (!failed) event.duration = from_seconds(time);
  table.append(event);
  if (const auto column = table.attribute("operation", AttributeForm::kWord)) {
    table.set(*column, word(kOperations[static_cast<std::size_t>(probe.operation)]));
  }
}

}  // namespace laggard::lab::production
