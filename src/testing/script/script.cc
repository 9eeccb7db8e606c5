#include "testing/script/script.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/text.h"
#include "engine/columns.h"
#include "topology/groups.h"

namespace laggard::script {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line.substr(0, line.find('#')), ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

bool take_number(const std::string& word, double& out) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc{} && end == word.data() + word.size();
}

/// `9 servers 1 disks`: numbers before their names; false when one is not known.
bool take_amounts(const std::vector<std::string>& words, const std::map<std::string, double*>& names) {
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    const auto name = names.find(words[i + 1]);
    if (name == names.end() || !take_number(words[i], *name->second)) return false;
  }
  return words.size() % 2 == 1;
}

/// `from 120 to 240`: names before their numbers.
bool take_settings(const std::vector<std::string>& words, std::size_t first,
                   const std::map<std::string, double*>& names) {
  for (std::size_t i = first; i + 1 < words.size(); i += 2) {
    const auto name = names.find(words[i]);
    if (name == names.end() || !take_number(words[i + 1], *name->second)) return false;
  }
  return (words.size() - first) % 2 == 0;
}

bool take_topology(const std::vector<std::string>& words, System& system) {
  double servers = static_cast<double>(system.servers);
  double disks = static_cast<double>(system.disks);
  double clients = static_cast<double>(system.clients);
  if (!take_amounts(words, {{"servers", &servers}, {"disks", &disks}, {"clients", &clients}})) return false;
  system.servers = static_cast<std::size_t>(servers);
  system.disks = static_cast<std::size_t>(disks);
  system.clients = static_cast<std::size_t>(clients);
  return true;
}

bool take_record(const std::vector<std::string>& words, System& system) {
  double seed = static_cast<double>(system.seed);
  if (!take_settings(words, 1, {{"for", &system.length}, {"every", &system.interval}, {"seed", &seed}})) {
    return false;
  }
  system.seed = static_cast<std::uint64_t>(seed);
  return true;
}

bool take_fault(const std::vector<std::string>& words, System& system) {
  if (words.size() < 4 || words[2] != "on") return false;
  Fault fault;
  fault.kind = words[1];
  const std::size_t slash = words[3].find('/');
  fault.host = words[3].substr(0, slash);
  if (slash != std::string::npos) fault.device = words[3].substr(slash + 1);
  fault.to = system.length + 1;
  if (!take_settings(words, 4, {{"from", &fault.from}, {"to", &fault.to}, {"by", &fault.by}})) return false;
  system.faults.push_back(std::move(fault));
  return true;
}

bool take_line(const std::vector<std::string>& words, Script& script) {
  System& system = script.system;
  if (words[0] == "topology") return take_topology(words, system);
  if (words[0] == "record") return take_record(words, system);
  if (words[0] == "fault") return take_fault(words, system);
  if (words[0] == "load") {
    return take_amounts(words, {{"writes/s", &system.writes},
                                {"reads/s", &system.reads},
                                {"sectors", &system.sectors},
                                {"ms", &system.await_ms},
                                {"noise", &system.noise}});
  }
  if (words[0] == "train") return script.trained = true;
  if (words[0] == "preset" && words.size() == 2) {
    script.preset = words[1];
    return detect::find_preset(words[1]) != nullptr;
  }
  if (words.size() == 2 && words[0] == "expect" && words[1] == "nothing") return script.expected.empty();
  if (words.size() != 4 || words[0] != "expect" || words[1] != "finding") return false;
  script.expected.push_back({words[2], words[3]});
  return true;
}

}  // namespace

Result<Script> parse(std::string_view text) {
  Script script;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || take_line(words, script)) continue;
    return fail(ErrorCode::kBadInput, fmt::format("script:{}", number),
                fmt::format("'{}' is not understood", trim(line)));
  }
  return script;
}

std::unique_ptr<Recording> record(const System& system, std::string_view preset) {
  auto recording = std::make_unique<Recording>();
  Simulator(system).run([&](const SampleTable& table) {
    const Status kept = recording->source.append(table);
    LAGGARD_CHECK(kept.has_value());
  });
  const Inventory inventory = recording->source.inventory().value();
  recording->grouping = topology::make_groups(inventory, nullptr).value();
  recording->preset = *detect::find_preset(preset);
  const Duration interval{static_cast<std::int64_t>(system.interval * 1e9)};
  recording->preset.windows.interval = std::max(interval, recording->preset.down_sample.value_or(Duration{}));
  recording->pipeline.sample_interval = interval;
  recording->pipeline.counters = engine::counters_of(inventory);
  return recording;
}

void judge_beside(Recording& recording) {
  detect::Preset beside = *detect::preset_beside(recording.preset.name);
  beside.windows.interval = recording.preset.windows.interval;
  recording.pipeline.beside = {
      beside, detect::parameters_beside(detect::parameters_of(beside), beside, recording.preset)};
}

void read(Recording& recording, const std::function<void(const SampleTable&)>& consume) {
  const auto reader = recording.source.read({}).value();
  for (auto table = reader->next().value(); table; table = reader->next().value()) consume(*table);
}

void read_beside_late(Recording& recording, std::span<const EventTable> events, Duration lateness,
                      std::mt19937_64& random, engine::Diagnoser& diagnoser) {
  std::vector<std::pair<WallTime, const EventTable*>> arrivals;
  for (const EventTable& table : events) {
    const Duration delay{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(lateness.count()))};
    arrivals.emplace_back(table.extent().from + delay, &table);
  }
  std::ranges::sort(arrivals);
  auto next = arrivals.begin();
  read(recording, [&](const SampleTable& table) {
    const WallTime now = table.times().front();
    for (; next != arrivals.end() && next->first < now + lateness; ++next) diagnoser.add(*next->second);
    diagnoser.add(table);
    diagnoser.advance(now);
  });
  for (; next != arrivals.end(); ++next) diagnoser.add(*next->second);
  diagnoser.finish();
}

detect::Thresholds train(Recording& recording) {
  engine::TrainerOptions options;
  options.preset = recording.preset;
  options.pipeline = recording.pipeline;
  engine::Trainer trainer(recording.grouping, options);
  read(recording, [&](const SampleTable& table) { trainer.add(table); });
  trainer.finish();
  return trainer.result();
}

engine::DiagnoserOptions diagnoser_options(const Recording& recording, const detect::Thresholds& thresholds) {
  engine::DiagnoserOptions options;
  options.preset = recording.preset;
  options.pipeline = recording.pipeline;
  options.rules = explain::parse_rules(explain::default_rules(), "the default rules").value();
  options.thresholds = detect::ThresholdBook(thresholds);
  return options;
}

Diagnosis diagnose(Recording& recording, const detect::Thresholds& thresholds) {
  engine::Diagnoser diagnoser(recording.grouping, diagnoser_options(recording, thresholds));
  read(recording, [&](const SampleTable& table) { diagnoser.add(table); });
  diagnoser.finish();
  return diagnoser.diagnosis();
}

std::vector<std::string> findings(const Diagnosis& diagnosis) {
  std::vector<std::string> found;
  for (const Incident& incident : diagnosis.incidents) {
    if (incident.status == IncidentStatus::kExplained) continue;
    found.push_back(incident.blame.name + " " + incident.cause);
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

std::string describe(const Diagnosis& diagnosis) {
  std::string text;
  for (const Incident& incident : diagnosis.incidents) {
    text +=
        fmt::format("\n  {} {} {} {} since +{:.0f} s, persistence {}, severity {:.1f}:", incident.blame.name,
                    incident.cause, to_name(incident.state), to_name(incident.status),
                    to_seconds(incident.since - Simulator::start()), incident.persistence, incident.severity);
    for (const Evidence& e : incident.evidence) {
      text +=
          fmt::format(" {}/{}/{} {:.2f} x{}", e.component, e.metric, e.detector, e.score, e.windows.size());
    }
  }
  return text;
}

}  // namespace

std::string complaint(std::string_view text) {
  const auto script = parse(text);
  if (!script) return script.error().message();
  detect::Thresholds thresholds;
  if (script->trained) {
    System healthy = script->system;
    healthy.faults.clear();
    healthy.seed += 1'000'000;
    thresholds = train(*record(healthy, script->preset));
  }
  const Diagnosis diagnosis = diagnose(*record(script->system, script->preset), thresholds);
  std::vector<std::string> found = findings(diagnosis);
  std::vector<std::string> missed;
  for (const Script::Finding& finding : script->expected) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const std::string& f) {
      return finding.cause == "any" ? f.starts_with(finding.blame + " ")
                                    : f == finding.blame + " " + finding.cause;
    });
    if (same == found.end()) {
      missed.push_back(finding.blame + " " + finding.cause);
    } else {
      found.erase(same);
    }
  }
  if (missed.empty() && found.empty()) return "";
  return fmt::format("missed: [{}], not expected: [{}]; all that was found:{}", fmt::join(missed, ", "),
                     fmt::join(found, ", "), describe(diagnosis));
}

}  // namespace laggard::script
