#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/terminal_text.h"
#include "cmd/analysis_setup.h"
#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/host_times.h"
#include "cmd/judge_clocks.h"
#include "cmd/one_name.h"
#include "cmd/output.h"
#include "cmd/peer_plots.h"
#include "cmd/ranks.h"
#include "cmd/read_recording.h"
#include "cmd/service_times.h"
#include "detect/behaviour/behaviour_training.h"
#include "detect/logs/pattern_file.h"
#include "engine/diagnoser.h"
#include "model/outcome.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace laggard::cmd {

namespace {

Result<std::vector<explain::Rule>> load_rules(const DiagnoseOptions& options,
                                              const engine::Algorithm& algorithm) {
  if (options.rules.empty()) {
    return explain::parse_rules(algorithm.rules(), fmt::format("the rules of {}", algorithm.name));
  }
  auto text = read_file(options.rules);
  if (!text) return forward(text);
  return explain::parse_rules(*text, options.rules);
}

/// The text of a file of patterns, which is read here only to see that it can be.
Result<std::string> load_log_patterns(const DiagnoseOptions& options) {
  if (options.log_patterns.empty()) return std::string();
  auto text = read_file(options.log_patterns);
  if (!text) return forward(text);
  if (auto file = detect::PatternFile::parse(*text, options.log_patterns); !file) return forward(file);
  return text;
}

Result<std::optional<detect::Thresholds>> load_thresholds(const DiagnoseOptions& options) {
  if (options.thresholds.empty()) return std::nullopt;
  auto text = read_file(options.thresholds);
  if (!text) return forward(text);
  return detect::read_thresholds(*text, options.thresholds);
}

/// The part of the file that is of a preset's windows.
Result<detect::ThresholdBook> part_for(const detect::Thresholds& thresholds, const detect::Preset& preset,
                                       const DiagnoseOptions& options, const AnalysisSetup& setup) {
  detect::PlannedUse use{preset.name, preset.windows, {}};
  if (!are_service_times_alone(setup)) {
    for (const detect::Distance kind : setup.pipeline.distances) use.distances.push_back(to_name(kind));
  }
  const detect::Thresholds* const part = thresholds.of_preset(preset.name);
  const detect::Thresholds& chosen = part == nullptr ? thresholds : *part;
  if (Status same = detect::check_use(chosen, use, options.thresholds); !same) return forward(same);
  return detect::ThresholdBook(chosen);
}

Status use_thresholds(const DiagnoseOptions& options, const AnalysisSetup& setup,
                      engine::DiagnoserOptions& out) {
  if (!setup.thresholds) return {};
  auto own = part_for(*setup.thresholds, setup.preset, options, setup);
  if (!own) return forward(own);
  out.thresholds = std::move(*own);
  if (!setup.pipeline.beside) return {};
  auto beside = part_for(*setup.thresholds, setup.pipeline.beside->preset, options, setup);
  if (!beside) return forward(beside);
  out.beside_thresholds = std::move(*beside);
  return {};
}

/// With `--preset auto`, thresholds say which presets they were trained for.
std::vector<std::string> trained_presets(const std::optional<detect::Thresholds>& thresholds,
                                         const DiagnoseOptions& options) {
  std::vector<std::string> names;
  if (!thresholds || options.analysis.preset != "auto") return names;
  const auto add = [&](const detect::Thresholds& part) {
    if (detect::find_preset(part.header.preset) != nullptr) names.push_back(part.header.preset);
  };
  add(*thresholds);
  std::ranges::for_each(thresholds->beside, add);
  return names;
}

}  // namespace

report::TextOptions text_options() {
  report::TextOptions options;
  winsize size{};
  options.colour = ::isatty(STDOUT_FILENO) == 1 && !is_launched();
  if (options.colour && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = size.ws_col;
  return options;
}

namespace {

/// Who is left out at the end, and on whose word.
std::vector<std::string> exclusions(const AnalysisSetup& setup, WallTime end) {
  std::vector<std::string> sentences;
  for (const Decision& decision : standing(setup.decisions)) {
    if (decision.kind != DecisionKind::kExcluded) continue;
    const auto components = components_of(setup.grouping, decision);
    const bool holds = std::any_of(components.begin(), components.end(), [&](std::size_t c) {
      return setup.pipeline.interventions.excluded(c, end);
    });
    if (!holds) continue;
    const std::string who =
        decision.about ? fmt::format("{}", fmt::join(decision.about->components, ", ")) : decision.subject;
    const bool several = decision.about && decision.about->components.size() > 1;
    sentences.push_back(fmt::format("{} {} left out{} ({}: {})", who, several ? "are" : "is",
                                    decision.from ? " from " + to_iso8601(*decision.from) + " on" : "",
                                    decision.by, decision.why));
  }
  return sentences;
}

void add_coverage(Diagnosis& diagnosis, const AnalysisSetup& setup) {
  const Inventory& inventory = setup.inventory;
  if (diagnosis.from >= diagnosis.to) {  // No window was complete.
    const TimeSpan span = recorded_span(inventory, setup.request);
    if (span.from <= span.to) {
      diagnosis.from = span.from;
      diagnosis.to = span.to;
    }
  }
  for (std::string& sentence : exclusions(setup, diagnosis.to)) {
    diagnosis.coverage.not_comparable.push_back(std::move(sentence));
  }
  diagnosis.coverage.not_comparable.insert(diagnosis.coverage.not_comparable.end(), setup.uncompared.begin(),
                                           setup.uncompared.end());
  for (const Gap& gap : gaps_within(inventory, setup.request)) {
    diagnosis.coverage.missing.push_back(fmt::format("{} recorded nothing from {} to {}{}", gap.host,
                                                     to_iso8601(gap.from), to_iso8601(gap.to),
                                                     gap.reason.empty() ? "" : " (" + gap.reason + ")"));
  }
  const detect::WindowSpec& windows = setup.preset.windows;
  for (std::string& sentence : late_and_early(inventory, recorded_span(inventory, setup.request),
                                              windows.interval * static_cast<std::int64_t>(windows.shift))) {
    diagnosis.coverage.missing.push_back(std::move(sentence));
  }
  for (const ClockStep& step : steps_back_within(inventory, setup.request)) {
    diagnosis.coverage.missing.push_back(fmt::format("{} recorded {} to {} twice ({})", step.host,
                                                     to_iso8601(step.after), to_iso8601(step.before),
                                                     step.reason));
  }
  const auto& notices = inventory.notices;
  diagnosis.coverage.missing.insert(diagnosis.coverage.missing.end(), notices.begin(), notices.end());
  diagnosis.coverage.damaged = inventory.damaged;
}

std::string diagnosis_text(const AnalysisSetup& setup, const Diagnosis& diagnosis) {
  std::string text;
  for (const std::string& remark : setup.remarks) text += printable(remark) + "\n";
  for (const std::string& note : setup.grouping.notes) text += "note: " + printable(note) + "\n";
  return text + report::to_text(diagnosis, text_options());
}

Status write_page(const DiagnoseOptions& options, AnalysisSetup& setup, const Diagnosis& diagnosis,
                  std::vector<ScoreMap> maps) {
  auto plots = incident_plots(setup, diagnosis);
  if (!plots) return forward(plots);
  plots->maps = std::move(maps);
  return print_or_write(options.html, report::to_html(diagnosis, *plots));
}

/// On rank 0, which writes them.
Status check_outputs_of(const DiagnoseOptions& options) {
  if (launched_rank() > 0) return {};
  const NamedOutput outputs[] = {{"--resume", options.resume, true},
                                 {"--json", options.json},
                                 {"--html", options.html},
                                 {"--history", options.history},
                                 {"--learn", options.learn}};
  const std::filesystem::path inputs[] = {
      options.analysis.system, options.analysis.ledger, options.analysis.code_weights,
      options.thresholds,      options.rules,           options.log_patterns};
  return check_outputs(outputs, inputs);
}

}  // namespace

Result<engine::DiagnoserOptions> diagnoser_options(const DiagnoseOptions& options,
                                                   const AnalysisSetup& setup) {
  auto rules = load_rules(options, setup.algorithm);
  if (!rules) return forward(rules);
  auto patterns = load_log_patterns(options);
  if (!patterns) return forward(patterns);
  engine::DiagnoserOptions out;
  if (Status used = use_thresholds(options, setup, out); !used) return forward(used);
  out.preset = setup.preset;
  out.pipeline = setup.pipeline;
  out.rules = std::move(*rules);
  out.log_patterns = std::move(*patterns);
  auto measure = code_measure_of(options.analysis);
  if (!measure) return forward(measure);
  out.code_measure = measure->name();
  if (setup.thresholds) {
    out.normal_errors.assign(setup.thresholds->normal_errors.begin(), setup.thresholds->normal_errors.end());
    out.trained_behaviour = detect::trained_behaviour(*setup.thresholds, *measure);
  }
  out.learn = !options.learn.empty();
  out.detectors = options.analysis.detectors;
  out.known = known_incidents(setup.grouping, setup.decisions);
  if (setup.system) out.expected = setup.system->expected_work;
  if (!options.history.empty()) out.history = {.every = std::chrono::hours(1), .top = options.history_top};
  return out;
}

Status write_learnt(const engine::Diagnoser& diagnoser, const std::string& path) {
  const auto learnt = diagnoser.learnt();
  if (!learnt || learnt->groups.empty()) return {};
  auto text = detect::write_thresholds(*learnt);
  if (!text) return forward(text);
  return write_file(path, *text);
}

Result<AnalysisSetup> prepare_diagnosis(const DiagnoseOptions& options) {
  if (!options.learn.empty() && !options.thresholds.empty()) {
    return fail(ErrorCode::kBadUse, "--learn", "goes without --thresholds: it makes its own");
  }
  if (Status safe = check_outputs_of(options); !safe) return forward(safe);
  auto thresholds = load_thresholds(options);
  if (!thresholds) return forward(thresholds);
  AnalysisOptions analysis = options.analysis;
  analysis.trained = trained_presets(*thresholds, options);
  auto setup = prepare(analysis);
  if (!setup) return setup;
  setup->thresholds = std::move(*thresholds);
  if (Status heeded = heed_service_times(*setup); !heeded) return forward(heeded);
  return setup;
}

Result<Diagnosis> diagnose(const DiagnoseOptions& options) {
  auto setup = prepare_diagnosis(options);
  if (!setup) return forward(setup);
  return diagnose(options, *setup);
}

Result<Diagnosis> diagnose(const DiagnoseOptions& options, Ranks& ranks) {
  Coordinator coordinator(ranks);  // First of all: whatever goes wrong, the others are told.
  auto setup = prepare_diagnosis(options);
  if (!setup) return forward(setup);
  return diagnose(options, *setup, &coordinator);
}

void help_diagnose(const DiagnoseOptions& options, Ranks& ranks) {
  auto setup = prepare_diagnosis(options);
  work_for_coordinator(ranks, options.analysis, setup);
}

namespace {

/// All but the page.
Status write_files(const DiagnoseOptions& options, const engine::Diagnoser& diagnoser,
                   const Diagnosis& diagnosis) {
  if (!options.json.empty()) {
    if (Status written = print_or_write(options.json, report::to_json(diagnosis)); !written) return written;
  }
  if (!options.history.empty()) {
    const auto rows = diagnoser.persistence_rows();
    const bool csv = options.history.ends_with(".csv");
    Status written =
        print_or_write(options.history, csv ? report::to_history_csv(rows) : report::to_history_text(rows));
    if (!written) return written;
  }
  return options.learn.empty() ? Status{} : write_learnt(diagnoser, options.learn);
}

}  // namespace

Result<Diagnosis> diagnose(const DiagnoseOptions& options, AnalysisSetup& setup, Coordinator* coordinator) {
  auto same_names = hosts_of_one_name(options.analysis.recordings, setup.disorder);
  if (!same_names) return forward(same_names);
  auto judged = judge_with_clocks(options, setup, coordinator);
  if (!judged) return forward(judged);
  Diagnosis& diagnosis = judged->diagnosis;
  add_coverage(diagnosis, setup);
  std::vector<std::string>& missing = diagnosis.coverage.missing;
  missing.insert(missing.begin(), same_names->begin(), same_names->end());
  const bool talk = options.json != "-" && !options.quiet;
  // The files are written all the same when standard output cannot be.
  Status printed;
  if (talk) printed = print(diagnosis_text(setup, diagnosis));
  if (Status written = write_files(options, *judged->diagnoser, diagnosis); !written) return forward(written);
  if (!options.html.empty()) {
    Status written = write_page(options, setup, diagnosis, judged->diagnoser->score_maps());
    if (!written) return forward(written);
    if (talk && printed) printed = print(fmt::format("\nplots: {}\n", printable(options.html)));
  }
  if (!printed) return forward(printed);
  return std::move(judged->diagnosis);
}

namespace {

int status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSick:
      return kFinding;
    case Outcome::kWell:
      return kClean;
    case Outcome::kNotJudged:
      return kNotJudged;
  }
  return kClean;
}

}  // namespace

void add_verdict_options(CLI::App& command, DiagnoseOptions& options) {
  add_analysis_options(command, options.analysis);
  command.add_option("--thresholds", options.thresholds, "Trained thresholds (laggard train)")
      ->type_name("FILE");
  command
      .add_option("--learn", options.learn,
                  "Hold each day against what the peers' own days before it taught, and write that to FILE")
      ->type_name("FILE");
  command.add_option("--rules", options.rules, "Rules of cause of your own (docs/methods/cause.md)")
      ->type_name("FILE");
  command
      .add_option("--patterns", options.log_patterns,
                  "More patterns of log lines, which come before laggard's own (docs/methods/logs.md)")
      ->type_name("FILE");
}

void add_diagnose_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command =
      app.add_subcommand("diagnose", "Name the sick component in recordings, the cause and the evidence");
  add_verdict_options(*command, *options);
  command->add_option("--json", options->json, "The diagnosis as JSON; - prints it instead of the text")
      ->type_name("FILE|-");
  command->add_option("--html", options->html, "One page with plots; opens offline")->type_name("FILE");
  command
      ->add_option("--history", options->history,
                   "The most persistent components of every hour; CSV when FILE ends in .csv")
      ->type_name("FILE|-");
  command->add_option("--history-top", options->history_top, "How many of them")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_flag("--correct-skew", options->correct_skew,
                    "Where a host's clock is found to be off, move its samples by as much and judge again");
  command
      ->add_option("--resume", options->resume,
                   "Keep what was judged in FILE, and go on from there when it is killed")
      ->type_name("FILE");
  command->add_flag(
      "--check", options->check,
      "Exit with 1 when an incident is confirmed and not known, with 4 when none is and too little could "
      "be judged to call the rest well");
  command->footer("Example:\n  laggard diagnose rec --thresholds thresholds.toml --html report.html");
  command->callback([options, &context] {
    auto ranks = join_ranks();
    if (!ranks) {
      context.status = report_error(ranks.error());
      return;
    }
    if ((*ranks)->rank() > 0) {
      help_diagnose(*options, **ranks);
      return;
    }
    auto diagnosis = diagnose(*options, **ranks);
    if (!diagnosis) {
      context.status = report_error(diagnosis.error());
    } else if (options->check) {
      context.status = status_of(outcome_of(*diagnosis));
    }
  });
}

}  // namespace laggard::cmd
