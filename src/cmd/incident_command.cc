#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "archive/ledger.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "report/json.h"
#include "report/ledger_text.h"

/// What operators do about incidents (T §5.6.1): look at them, and say what was repaired, what is to be left
/// out, and what the next operator should know. The ledger beside the recording keeps it; every diagnosis
/// heeds it.
namespace laggard::cmd {

namespace {

struct IncidentOptions {
  DiagnoseOptions diagnosis;
  std::string subject;
  std::string from;
  std::string by;
  std::string why;
  bool json = false;
};

/// Whoever typed the command, also behind sudo.
std::string who_is_it() {
  // Nothing else runs yet that could change the environment.
  if (const char* name = std::getenv("SUDO_USER");
      name != nullptr && *name != '\0')  // NOLINT(concurrency-mt-unsafe)
    return name;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text{};
  if (::getpwuid_r(::getuid(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr)
    return entry.pw_name;
  return fmt::format("uid {}", ::getuid());
}

Result<Diagnosis> diagnose_quietly(const IncidentOptions& options, AnalysisSetup& setup) {
  DiagnoseOptions quiet = options.diagnosis;
  quiet.quiet = true;
  return diagnose(quiet, setup);
}

Status list(const IncidentOptions& options) {
  auto setup = prepare_diagnosis(options.diagnosis);
  if (!setup) return forward(setup);
  auto diagnosis = diagnose_quietly(options, *setup);
  if (!diagnosis) return forward(diagnosis);
  const std::string text = options.json ? report::to_json(*diagnosis)
                                        : report::to_list_text(*diagnosis, setup->decisions, text_options());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

tl::unexpected<Error> unknown(const IncidentOptions& options) {
  return fail(ErrorCode::kBadUse, options.subject,
              fmt::format("is no incident, component or part of {}; 'laggard incident list' names the "
                          "incidents, 'laggard system check' the components",
                          options.diagnosis.analysis.recordings.front().string()));
}

const Incident* find_incident(const Diagnosis& diagnosis, const std::string& id) {
  const auto found = std::ranges::find(diagnosis.incidents, id, &Incident::id);
  return found == diagnosis.incidents.end() ? nullptr : &*found;
}

/// The decisions that concern an incident: about its id, its blame or one of its components.
std::vector<Decision> decisions_about(const AnalysisSetup& setup, const Incident& incident) {
  std::vector<Decision> about;
  for (const Decision& decision : setup.decisions) {
    const auto named = components_of(setup.grouping, decision.subject);
    const bool concerned =
        decision.subject == incident.id || std::ranges::any_of(named, [&](std::size_t c) {
          return std::ranges::find(incident.components, setup.grouping.components[c].name) !=
                 incident.components.end();
        });
    if (concerned) about.push_back(decision);
  }
  return about;
}

Status show(const IncidentOptions& options) {
  auto setup = prepare_diagnosis(options.diagnosis);
  if (!setup) return forward(setup);
  auto diagnosis = diagnose_quietly(options, *setup);
  if (!diagnosis) return forward(diagnosis);
  const Incident* incident = find_incident(*diagnosis, options.subject);
  if (incident == nullptr) return unknown(options);
  const std::vector<Decision> about = decisions_about(*setup, *incident);
  Diagnosis one = *diagnosis;
  one.incidents = {*incident};
  std::erase_if(one.ranking, [&](const RankedComponent& ranked) {
    return std::ranges::find(incident->components, ranked.component) == incident->components.end();
  });
  std::string text = options.json ? report::to_json(one) : report::to_text(one, text_options());
  if (!options.json && !about.empty()) text += "\n" + report::to_ledger_text(about, text_options());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

/// The names that a decision is about: as it was said, or the components of the incident of that id.
Result<std::vector<std::string>> subjects(const IncidentOptions& options, AnalysisSetup& setup,
                                          DecisionKind kind) {
  if (!components_of(setup.grouping, options.subject).empty()) return std::vector{options.subject};
  auto diagnosis = diagnose_quietly(options, setup);
  if (!diagnosis) return forward(diagnosis);
  const Incident* incident = find_incident(*diagnosis, options.subject);
  if (incident == nullptr) return unknown(options);
  if (kind == DecisionKind::kNoted) return std::vector{options.subject};
  return incident->components;
}

Status decide(const IncidentOptions& options, DecisionKind kind) {
  auto setup = prepare_diagnosis(options.diagnosis);
  if (!setup) return forward(setup);
  SystemClock clock;
  Decision decision{.kind = kind,
                    .subject = {},
                    .from = std::nullopt,
                    .made = clock.wall(),
                    .by = options.by.empty() ? who_is_it() : options.by,
                    .why = options.why};
  if (kind == DecisionKind::kRepaired) decision.from = decision.made;
  if (!options.from.empty()) {
    auto from = parse_time(options.from);
    if (!from) return fail(ErrorCode::kBadUse, "--since", from.error().what);
    decision.from = *from;
  }
  auto names = subjects(options, *setup, kind);
  if (!names) return forward(names);
  std::vector<Decision> decisions;
  for (std::string& name : *names) {
    decision.subject = std::move(name);
    decisions.push_back(decision);
  }
  const std::filesystem::path ledger = ledger_for(options.diagnosis.analysis);
  if (Status added = archive::add_to_ledger(ledger, decisions); !added) return added;
  const std::string text = report::to_ledger_text(decisions, text_options());
  std::printf("%s\nkept in %s\n", text.c_str(), ledger.c_str());
  return {};
}

/// One of the things that `laggard incident` does.
struct Verb {
  const char* name;
  const char* what;
  const char* example;
  Status (*act)(const IncidentOptions&);
};

CLI::App* add_verb(CLI::App& parent, Context& context, const Verb& verb,
                   const std::shared_ptr<IncidentOptions>& options) {
  CLI::App* command = parent.add_subcommand(verb.name, verb.what);
  command->footer(std::string("Example:\n  ") + verb.example);
  command->callback([options, act = verb.act, &context] {
    if (Status done = act(*options); !done) context.status = report_error(done.error());
  });
  return command;
}

constexpr Verb kList{"list", "All incidents, a line each, and what was decided", "laggard incident list rec",
                     list};
constexpr Verb kShow{"show", "One incident with its evidence and what was decided about it",
                     "laggard incident show fs3-disk-busy-20110517T140300Z rec", show};

void add_looking(CLI::App& parent, Context& context) {
  auto all = std::make_shared<IncidentOptions>();
  CLI::App* command = add_verb(parent, context, kList, all);
  add_verdict_options(*command, all->diagnosis);
  command->add_flag("--json", all->json, "The diagnosis as JSON");
  auto one = std::make_shared<IncidentOptions>();
  command = add_verb(parent, context, kShow, one);
  command->add_option("incident", one->subject, "Its id, from 'incident list'")->required()->type_name("ID");
  add_verdict_options(*command, one->diagnosis);
  command->add_flag("--json", one->json, "As JSON");
}

constexpr Verb kDecisions[] = {
    {"repair", "It was repaired: what was held against it is void (since: now)",
     "laggard incident repair 12.48.49 rec --why 'drive 3 replaced, ticket 4711'",
     [](const IncidentOptions& o) { return decide(o, DecisionKind::kRepaired); }},
    {"exclude", "Leave it out, so that a second problem under it can be seen (since: always)",
     "laggard incident exclude ddn12a rec --why 'controller waits for its replacement'",
     [](const IncidentOptions& o) { return decide(o, DecisionKind::kExcluded); }},
    {"include", "Compare it again (since: always)",
     "laggard incident include ddn12a rec --since 2011-05-20T08:00:00Z --why 'controller replaced'",
     [](const IncidentOptions& o) { return decide(o, DecisionKind::kIncluded); }},
    {"note", "Words for the next operator", "laggard incident note fs3 rec --why 'vendor has been called'",
     [](const IncidentOptions& o) { return decide(o, DecisionKind::kNoted); }}};

void add_decision(CLI::App& parent, Context& context, const Verb& verb) {
  auto options = std::make_shared<IncidentOptions>();
  CLI::App* command = add_verb(parent, context, verb, options);
  command
      ->add_option("subject", options->subject,
                   "A component (fs3/sdb), a part with all that runs through it (fs3), or an incident's id")
      ->required()
      ->type_name("SUBJECT");
  add_verdict_options(*command, options->diagnosis);
  command->add_option("--why", options->why, "For those who come after you")->required()->type_name("TEXT");
  command->add_option("--since", options->from, "From when on it holds (ISO 8601 or Unix seconds)")
      ->type_name("TIME");
  command->add_option("--by", options->by, "Who decided; you, unless said otherwise")->type_name("NAME");
}

}  // namespace

void add_incident_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("incident", "Look at incidents, and say what was repaired or is to be left out");
  command->require_subcommand(1);
  add_looking(*command, context);
  for (const Verb& verb : kDecisions) add_decision(*command, context, verb);
}

}  // namespace laggard::cmd
