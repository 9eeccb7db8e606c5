#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <span>

#include "archive/ledger.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/analysis_peers.h"
#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/incident_view.h"
#include "cmd/output.h"
#include "report/json.h"
#include "report/text.h"

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

Status list(const IncidentOptions& options) {
  auto view = view_incidents(options.diagnosis);
  if (!view) return forward(view);
  return print(options.json ? report::to_json(view->diagnosis)
                            : report::to_list_text(view->diagnosis, view->setup.decisions, text_options()));
}

tl::unexpected<Error> unknown(const IncidentOptions& options) {
  return fail(ErrorCode::kBadUse, options.subject,
              fmt::format("is no incident, component or part of {}; 'laggard incident list' names the "
                          "incidents, 'laggard system check' the components",
                          options.diagnosis.analysis.recordings.front().string()));
}

/// What the ledger still knows of an incident that the recordings show no more; null when that is nothing.
const KnownIncident* find_remembered(const std::vector<KnownIncident>& known, std::string_view id) {
  const auto found = std::ranges::find(known, id, &KnownIncident::id);
  return found == known.end() ? nullptr : &*found;
}

Status show_remembered(const IncidentOptions& options, const AnalysisSetup& setup) {
  std::vector<Decision> about;
  std::ranges::copy_if(setup.decisions, std::back_inserter(about),
                       [&](const Decision& decision) { return decision.subject == options.subject; });
  if (about.empty() || options.json) return unknown(options);
  const auto known = known_incidents(setup.grouping, setup.decisions);
  const KnownIncident* incident = find_remembered(known, options.subject);
  const std::string what =
      incident == nullptr ? ""
                          : fmt::format(" It was {} of {}, from {} to {}.", incident->cause, incident->blamed,
                                        to_iso8601(incident->since), to_iso8601(incident->until));
  return print(
      printable(fmt::format("The recordings show no incident {} any more.{}", options.subject, what)) +
      "\n\n" + report::to_ledger_text(about, text_options()));
}

Status show(const IncidentOptions& options) {
  auto view = view_incidents(options.diagnosis);
  if (!view) return forward(view);
  const Incident* incident = find_incident(view->diagnosis, options.subject);
  if (incident == nullptr) return show_remembered(options, view->setup);
  const std::vector<Decision> about = decisions_about(view->setup, *incident);
  Diagnosis one = view->diagnosis;
  one.incidents = {*incident};
  std::erase_if(one.ranking, [&](const RankedComponent& ranked) {
    return std::ranges::find(incident->components, ranked.component) == incident->components.end();
  });
  std::string text = options.json ? report::to_json(one) : report::to_text(one, text_options());
  if (!options.json && !about.empty()) text += "\n" + report::to_ledger_text(about, text_options());
  return print(text);
}

/// What a decision is about.
struct Target {
  std::string subject;
  std::optional<KnownIncident> about;
};

/// A component or part as it was said; else the incident of that id, which is looked for in the recordings
/// first and in the ledger then.
Result<Target> target_of(const IncidentOptions& options) {
  auto setup = prepare_diagnosis(options.diagnosis);
  if (!setup) return forward(setup);
  if (!components_of(setup->grouping, options.subject).empty()) return Target{options.subject, {}};
  auto view = view_incidents(options.diagnosis);
  if (!view) return forward(view);
  if (const Incident* incident = find_incident(view->diagnosis, options.subject))
    return Target{incident->id, snapshot(*incident)};
  const auto known = known_incidents(view->setup.grouping, view->setup.decisions);
  if (const KnownIncident* incident = find_remembered(known, options.subject))
    return Target{incident->id, *incident};
  return unknown(options);
}

/// Who comes later must find a reason.
Status check_reason(const IncidentOptions& options) {
  if (!trim(options.why).empty()) return {};
  return fail(ErrorCode::kBadUse, "--why", "must say something: it is for those who come after you");
}

Decision decision_of(const IncidentOptions& options, DecisionKind kind) {
  SystemClock clock;
  return Decision{.kind = kind,
                  .subject = options.subject,
                  .from = std::nullopt,
                  .made = clock.wall(),
                  .by = options.by.empty() ? who_is_it() : options.by,
                  .why = options.why};
}

/// \param shown  decisions that are told with it, the last being the one to keep.
Status keep_last(const IncidentOptions& options, std::span<const Decision> shown) {
  const std::filesystem::path ledger = ledger_for(options.diagnosis.analysis);
  if (Status added = archive::add_to_ledger(ledger, shown.last(1)); !added) return added;
  const std::string text = report::to_ledger_text(shown, text_options());
  return print(fmt::format("{}\nkept in {}\n", text, printable(ledger.string())));
}

Status decide(const IncidentOptions& options, DecisionKind kind) {
  if (Status reason = check_reason(options); !reason) return reason;
  Decision decision = decision_of(options, kind);
  if (kind == DecisionKind::kRepaired) decision.from = decision.made;
  if (!options.from.empty()) {
    auto from = parse_time(options.from);
    if (!from) return fail(ErrorCode::kBadUse, "--since", from.error().what);
    decision.from = *from;
  }
  auto target = target_of(options);
  if (!target) return forward(target);
  decision.subject = std::move(target->subject);
  decision.about = std::move(target->about);
  return keep_last(options, std::span(&decision, 1));
}

/// What stands, for who asks to undo something else.
std::string standing_subjects(std::span<const Decision> decisions) {
  std::set<std::string> subjects;
  for (const Decision& decision : decisions) subjects.insert(decision.subject);
  return subjects.empty() ? "no decision stands"
                          : fmt::format("decisions stand about {}", fmt::join(subjects, ", "));
}

Status undo(const IncidentOptions& options) {
  if (Status reason = check_reason(options); !reason) return reason;
  auto setup = prepare_diagnosis(options.diagnosis);
  if (!setup) return forward(setup);
  const std::vector<Decision> decisions = standing(setup->decisions);
  const auto last =
      std::ranges::find(decisions.rbegin(), decisions.rend(), options.subject, &Decision::subject);
  if (last == decisions.rend()) {
    return fail(ErrorCode::kBadUse, options.subject,
                fmt::format("has no decision to undo; {}", standing_subjects(decisions)));
  }
  Decision decision = decision_of(options, DecisionKind::kUndone);
  decision.undoes = last->made;
  const std::array shown{*last, decision};
  return keep_last(options, shown);
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
                     "laggard incident show fs3-sdb-slower-20110517T140300Z rec", show};

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

constexpr Verb kUndo{"undo",
                     "Take back the last decision about SUBJECT that stands; once more: the one before it",
                     "laggard incident undo ddn12a rec --why 'it was the other controller'", undo};

CLI::App* add_decision(CLI::App& parent, Context& context, const Verb& verb,
                       const std::shared_ptr<IncidentOptions>& options) {
  CLI::App* command = add_verb(parent, context, verb, options);
  command
      ->add_option("subject", options->subject,
                   "A component (fs3/sdb), a part with all that runs through it (fs3), or an incident's id")
      ->required()
      ->type_name("SUBJECT");
  add_verdict_options(*command, options->diagnosis);
  command->add_option("--why", options->why, "For those who come after you")->required()->type_name("TEXT");
  command->add_option("--by", options->by, "Who decided; you, unless said otherwise")->type_name("NAME");
  return command;
}

void add_deciding(CLI::App& parent, Context& context) {
  for (const Verb& verb : kDecisions) {
    auto options = std::make_shared<IncidentOptions>();
    add_decision(parent, context, verb, options)
        ->add_option("--since", options->from, "From when on it holds (ISO 8601 or Unix seconds)")
        ->type_name("TIME");
  }
  add_decision(parent, context, kUndo, std::make_shared<IncidentOptions>());
}

}  // namespace

void add_incident_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("incident", "Look at incidents, and say what was repaired or is to be left out");
  command->require_subcommand(1);
  add_looking(*command, context);
  add_deciding(*command, context);
}

}  // namespace laggard::cmd
