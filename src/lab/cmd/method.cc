#include "lab/cmd/method.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "engine/diagnoser.h"
#include "engine/trainer.h"
#include "explain/rules.h"
#include "lab/score/outcome.h"
#include "model/address.h"
#include "model/grouping.h"
#include "model/sample_table.h"
#include "topology/groups.h"

namespace laggard::lab {

namespace {

/// Reduces connections to what F recorded: from /proc/net/tcp, which shows a window for every connection but
/// not which of them sent (F §6), and for a single client, which F §11.1 calls enough. So windows of idle
/// connections count, and nothing is averaged over clients: the windows of one client vary as much as those
/// of single connections, and the paper's fractions of the median are trained on that.
class OneClient {
 public:
  /// Picks the middle client in natural order, which is neither the first nor the last to start; all
  /// connections when no client is known.
  explicit OneClient(const Grouping& grouping);

  /// Passes `table` on as F saw it; drops it when it has only other clients' connections.
  template <typename Consume>
  void show(const SampleTable& table, const Consume& consume) const {
    if (table.kind() != DeviceKind::kTcp) {
      consume(table);
    } else if (const std::optional<SampleTable> seen = narrowed(table)) {
      consume(*seen);
    }
  }

 private:
  [[nodiscard]] std::optional<SampleTable> narrowed(const SampleTable& table) const;
  [[nodiscard]] bool concerns_client(const SampleTable& table, const std::string& socket) const;

  std::string client_;  ///< Empty: all.
  std::set<std::string> addresses_;
};

OneClient::OneClient(const Grouping& grouping) {
  if (grouping.clients.empty()) return;
  client_ = grouping.clients[(grouping.clients.size() - 1) / 2];
  if (const auto host = grouping.resolver.host(client_)) {
    for (std::string& address : grouping.resolver.addresses_of(*host)) addresses_.insert(std::move(address));
  }
}

bool OneClient::concerns_client(const SampleTable& table, const std::string& socket) const {
  if (client_.empty() || table.host() == client_) return true;
  const auto ends = parse_socket(socket);
  return ends && addresses_.contains(ends->peer);
}

std::optional<SampleTable> OneClient::narrowed(const SampleTable& table) const {
  std::vector<std::size_t> sockets;
  std::vector<std::string> names;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    if (!concerns_client(table, table.devices()[d])) continue;
    sockets.push_back(d);
    names.push_back(table.devices()[d]);
  }
  if (sockets.empty()) return std::nullopt;
  const auto window = table.counter_index("snd_cwnd");
  if (!window) return std::nullopt;
  SampleTable seen(table.host(), table.kind(), {table.counters()[*window]}, std::move(names), table.times());
  seen.set_boot(table.boot());
  for (std::size_t d = 0; d < sockets.size(); ++d) {
    seen.copy(table, *window, sockets[d], 0, d);
  }
  return seen;
}

MethodSpec with_preset(std::string name, std::string_view preset) {
  const detect::Preset* const found = detect::find_preset(preset);
  LAGGARD_CHECK(found != nullptr);
  MethodSpec method;
  method.name = std::move(name);
  method.preset = *found;
  return method;
}

/// Everything that is known about a run before its first sample is judged.
struct Prepared {
  Grouping grouping;
  engine::PipelineOptions pipeline;
};

Result<Prepared> prepare_run(const MethodSpec& method, SeriesSource& run, const SystemModel* system) {
  auto inventory = run.inventory();
  if (!inventory) return forward(inventory);
  auto grouping = topology::make_groups(*inventory, system);
  if (!grouping) return forward(grouping);
  Prepared prepared{std::move(*grouping), {}};
  detect::Parameters& parameters = prepared.pipeline.parameters;
  parameters = method.algorithm.parameters(method.preset);
  parameters.congestion_seconds = method.congestion_seconds.value_or(parameters.congestion_seconds);
  prepared.pipeline.windows = method.preset.windows;
  if (method.beside) {
    prepared.pipeline.beside = {
        *method.beside, detect::parameters_beside(method.algorithm.parameters(*method.beside), *method.beside,
                                                  method.preset)};
  }
  prepared.pipeline.distances = {method.distance};
  prepared.pipeline.counters = engine::counters_of(*inventory);
  prepared.pipeline.busy_times = engine::wants_busy_times(method.preset.windows, parameters);
  return prepared;
}

/// Passes all tables of a source to `consume`, as the method sees them.
template <typename Consume>
Status feed(SeriesSource& source, const MethodSpec& method, const Grouping& grouping,
            const Consume& consume) {
  const OneClient one_client(grouping);
  auto reader = source.read({});
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return {};
    if (method.one_client) {
      one_client.show(**table, consume);
    } else {
      consume(**table);
    }
  }
}

/// The server that a component is a part of: `s3/sdb` is s3's.
std::string server_of(std::string_view component) {
  return std::string(component.substr(0, component.find('/')));
}

std::vector<Accusation> by_checklist(const Diagnosis& diagnosis) {
  std::vector<Sign> signs;
  for (const Incident& incident : diagnosis.incidents) {
    for (const Evidence& evidence : incident.evidence) {
      signs.push_back(
          {server_of(evidence.component), evidence.metric, incident.faulty_since.value_or(incident.since)});
    }
  }
  return paper_checklist(signs);
}

std::vector<Accusation> by_incidents(const Diagnosis& diagnosis) {
  std::vector<Accusation> accusations;
  for (const Incident& incident : diagnosis.incidents) {
    if (incident.state != IncidentState::kConfirmed || incident.status == IncidentStatus::kExplained)
      continue;
    std::vector<std::string> servers;
    for (const std::string& component : incident.components) {
      const std::string server = server_of(component);
      if (std::find(servers.begin(), servers.end(), server) == servers.end()) servers.push_back(server);
    }
    for (const std::string& server : servers) {
      accusations.push_back({server, incident.cause, incident.faulty_since.value_or(incident.since)});
    }
  }
  return accusations;
}

std::vector<Flag> flags_of(const Diagnosis& diagnosis) {
  std::vector<Flag> flags;
  for (const Incident& incident : diagnosis.incidents) {
    for (const Evidence& evidence : incident.evidence) {
      flags.push_back({server_of(evidence.component), evidence.metric, evidence.score});
    }
  }
  return flags;
}

std::vector<std::pair<std::string, int>> persistence_of(const Diagnosis& diagnosis) {
  std::map<std::string, int> largest;
  for (const Incident& incident : diagnosis.incidents) {
    for (const std::string& component : incident.components) {
      int& mine = largest[server_of(component)];
      mine = std::max(mine, incident.persistence);
    }
  }
  return {largest.begin(), largest.end()};
}

}  // namespace

MethodSpec paper_method(std::string_view preset) {
  MethodSpec method = with_preset("paper", preset);
  method.algorithm = engine::paper_algorithm();
  method.one_client = true;
  method.checklist = true;
  method.distance = detect::Distance::kKl;
  return method;
}

MethodSpec laggard_method(std::string_view preset) {
  MethodSpec method = with_preset("laggard", preset);
  if (const detect::Preset* const beside = detect::preset_beside(preset)) method.beside = *beside;
  return method;
}

MethodSpec untrained_method(std::string_view preset) {
  MethodSpec method = laggard_method(preset);
  method.name = "laggard, untrained";
  method.trained = false;
  return method;
}

Result<detect::Thresholds> train_on(const MethodSpec& method,
                                    std::span<const std::unique_ptr<SeriesSource>> runs,
                                    const SystemModel* system) {
  if (runs.empty()) return fail(ErrorCode::kBadInput, "training", "needs at least one fault-free run");
  auto prepared = prepare_run(method, *runs.front(), system);
  if (!prepared) return forward(prepared);
  engine::Trainers trainers(prepared->grouping, {method.preset, std::move(prepared->pipeline), runs.size()});
  for (const auto& run : runs) {
    Status fed = feed(*run, method, prepared->grouping, [&](const SampleTable& table) {
      trainers.all([&](engine::Trainer& trainer) { trainer.add(table); });
    });
    if (!fed) return forward(fed);
  }
  trainers.all([](engine::Trainer& trainer) { trainer.finish(); });
  return trainers.result();
}

Result<Judgement> judge_run(const MethodSpec& method, SeriesSource& run, const SystemModel* system,
                            const detect::ThresholdBook& thresholds) {
  auto prepared = prepare_run(method, run, system);
  if (!prepared) return forward(prepared);
  auto rules = explain::parse_rules(method.algorithm.rules(), "rules");
  if (!rules) return forward(rules);
  engine::DiagnoserOptions options;
  options.preset = method.preset;
  options.pipeline = std::move(prepared->pipeline);
  options.rules = std::move(*rules);
  options.thresholds = thresholds;
  if (method.beside) {
    const detect::Thresholds* const part = thresholds.thresholds().of_preset(method.beside->name);
    if (part != nullptr) options.beside_thresholds = detect::ThresholdBook(*part);
  }
  engine::Diagnoser diagnoser(prepared->grouping, std::move(options));
  Status fed = feed(run, method, prepared->grouping, [&](const SampleTable& table) { diagnoser.add(table); });
  if (!fed) return forward(fed);
  diagnoser.finish();
  const Diagnosis diagnosis = diagnoser.diagnosis();
  Judgement judgement;
  judgement.accusations = method.checklist ? by_checklist(diagnosis) : by_incidents(diagnosis);
  judgement.flags = flags_of(diagnosis);
  judgement.persistence = persistence_of(diagnosis);
  return judgement;
}

}  // namespace laggard::lab
