#include "lab/cmd/method.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "engine/columns.h"
#include "engine/diagnoser.h"
#include "engine/trainer.h"
#include "explain/rules.h"
#include "lab/score/outcome.h"
#include "model/grouping.h"
#include "model/sample_table.h"
#include "topology/groups.h"

namespace laggard::lab {

namespace {

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
  parameters.policies.one_client = method.one_client;
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

/// Passes all tables of a source to `consume`.
template <typename Consume>
Status feed(SeriesSource& source, const Consume& consume) {
  auto reader = source.read({});
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return {};
    consume(**table);
  }
}

/// The server that a component is a part of: `s3/sdb` is s3's.
std::string server_of(std::string_view component) {
  return std::string(component.substr(0, component.find('/')));
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
  method.distance = detect::Distance::kKl;
  return method;
}

MethodSpec one_client_method(std::string_view preset) {
  MethodSpec method = paper_method(preset);
  method.name = "paper, one client";
  method.one_client = true;
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
    Status fed = feed(*run, [&](const SampleTable& table) {
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
  Status fed = feed(run, [&](const SampleTable& table) { diagnoser.add(table); });
  if (!fed) return forward(fed);
  diagnoser.finish();
  const Diagnosis diagnosis = diagnoser.diagnosis();
  Judgement judgement;
  judgement.accusations = by_incidents(diagnosis);
  judgement.flags = flags_of(diagnosis);
  judgement.persistence = persistence_of(diagnosis);
  return judgement;
}

}  // namespace laggard::lab
