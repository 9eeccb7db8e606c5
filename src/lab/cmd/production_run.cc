#include "lab/cmd/production_run.h"

#include <map>
#include <utility>

#include "detect/peer/compare/preset.h"
#include "engine/algorithm.h"
#include "engine/diagnoser.h"
#include "explain/rules.h"
#include "lab/cmd/netbouncer_watch.h"
#include "lab/cmd/processor_seconds.h"
#include "lab/production/host_loads.h"
#include "lab/production/host_logs.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace laggard::lab {

namespace {

using production::Seconds;
using production::Stretch;

constexpr Seconds kMinute = 60;
/// K §VI-A: an overload is an issue when it lasts longer than that.
constexpr Seconds kOverload = 30 * kMinute;
constexpr WallTime kBegin = from_unix_ns(1'500'000'000'000'000'000 / 3'600'000'000'000 * 3'600'000'000'000);

Random stretch_random(std::uint64_t seed, std::uint64_t number) {
  return Random(seed).fork("stretch", number);
}

Result<engine::DiagnoserOptions> diagnoser_options() {
  const engine::Algorithm algorithm = engine::laggard_algorithm();
  auto rules = explain::parse_rules(algorithm.rules(), "rules");
  if (!rules) return forward(rules);
  engine::DiagnoserOptions options;
  options.preset = *detect::find_preset("lab");
  options.pipeline.windows = options.preset.windows;
  options.pipeline.parameters = algorithm.parameters(options.preset);
  options.rules = std::move(*rules);
  return options;
}

/// Follows what is said of each incident: in which mode it is, and at first how sure that is.
class Told {
 public:
  void note(const Diagnosis& diagnosis, WallTime at) {
    for (const Incident& incident : diagnosis.incidents) {
      const auto [known, is_new] =
          told_.try_emplace(incident.id, Said{incident.confidence, incident.mode, at});
      if (is_new || known->second.mode == incident.mode) continue;
      known->second.mode = incident.mode;
      known->second.mode_since = at;
    }
  }
  struct Said {
    std::optional<double> first_confidence;
    std::optional<FailureMode> mode;  ///< The last one.
    WallTime mode_since;
  };
  /// \param id  of an incident that was noted.
  [[nodiscard]] const Said& of(const std::string& id) const { return told_.at(id); }

 private:
  std::map<std::string, Said> told_;
};

std::vector<Alarm> alarms_of(const Diagnosis& diagnosis, const Told& told) {
  std::vector<Alarm> alarms;
  for (const Incident& incident : diagnosis.incidents) {
    if (is_accounted_for(incident)) continue;
    const Told::Said& said = told.of(incident.id);
    alarms.push_back({.blame = incident.blame,
                      .parts = incident.components,
                      .told = incident.faulty_since.value_or(incident.since),
                      .confirmed = incident.confirmed_since,
                      .until = incident.until.value_or(incident.seen_until),
                      .confidence = incident.confidence,
                      .first_confidence = said.first_confidence,
                      .since = incident.since,
                      .mode = incident.mode,
                      .mode_since = said.mode_since});
  }
  return alarms;
}

}  // namespace

Stretch make_stretch(std::uint64_t seed, std::uint64_t number, bool is_healthy,
                     std::optional<production::IncidentKind> kind) {
  Random random = stretch_random(seed, number);
  Stretch stretch{
      .begin = kBegin, .clients = production::choose_clients(random.fork("clients")), .incidents = {}};
  if (!is_healthy) {
    if (!kind) kind = production::draw_kind(number, random);
    const Seconds start = 10 * kMinute + static_cast<Seconds>(random.below(8 * kMinute));
    Seconds lasts = kOverload + static_cast<Seconds>(random.below(8 * kMinute));
    if (production::mode_of(*kind) == FailureMode::kReliability) {
      lasts = 5 * kMinute + static_cast<Seconds>(random.below(35 * kMinute));
    }
    stretch.incidents.push_back(
        production::make_incident(*kind, start, start + lasts, random.fork("issue"), stretch.clients));
  }
  for (auto& transient : production::make_transients(stretch.length, random, stretch.clients)) {
    stretch.incidents.push_back(std::move(transient));
  }
  return stretch;
}

Result<Grouping> production_grouping() {
  auto model = topology::parse_system(production::Site::system_toml(), "system.toml");
  if (!model) return forward(model);
  return topology::parts_alone(*model);
}

Result<StretchResult> run_stretch(const Grouping& grouping, const Stretch& stretch, const RunOptions& how) {
  auto options = diagnoser_options();
  if (!options) return forward(options);
  engine::Diagnoser diagnoser(grouping, std::move(*options));
  NetBouncerWatch netbouncer(grouping);
  const production::Site site(how.seed, how.silent);
  const Random random = stretch_random(how.seed, how.number);
  production::Probes probes(site, stretch, random);
  production::HostLoads loads(site, stretch, random);
  production::HostLogs logs(site, stretch, random);
  Told told;
  StretchResult result;
  WallTime minute = stretch.begin;
  probes.run([&](const std::vector<EventTable>& tables) {
    minute += std::chrono::seconds(kMinute);
    const std::vector<SampleTable> load = loads.record(probes, minute);
    const std::vector<EventTable> lines = logs.until(minute);
    const double before = processor_seconds();
    for (const EventTable& table : tables) diagnoser.add(table);
    for (const EventTable& table : lines) diagnoser.add(table);
    for (const SampleTable& table : load) diagnoser.add_load(table);
    diagnoser.advance(minute);
    told.note(diagnoser.diagnosis(), minute);
    result.judged_s += processor_seconds() - before;
    if (!how.netbouncer) return;
    for (const EventTable& table : tables) netbouncer.take(table);
    netbouncer.complete(minute);
  });
  const double before = processor_seconds();
  diagnoser.finish();
  const Diagnosis diagnosis = diagnoser.diagnosis();
  told.note(diagnosis, minute);
  result.judged_s += processor_seconds() - before;
  result.ours = score_stretch(stretch, alarms_of(diagnosis, told));
  if (how.netbouncer) result.netbouncer = score_stretch(stretch, netbouncer.alarms());
  result.probes = probes.sent();
  result.failed = probes.failed();
  result.prompt_share = probes.prompt_share();
  return result;
}

}  // namespace laggard::lab
