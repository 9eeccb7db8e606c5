#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/node_set.h"
#include "base/terminal_text.h"
#include "cmd/analysis_setup.h"
#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/observation_feed.h"
#include "cmd/one_name.h"
#include "cmd/output.h"
#include "cmd/peer_plots.h"
#include "cmd/service_times.h"
#include "detect/behaviour/behaviour_detector.h"
#include "detect/behaviour/behaviour_training.h"
#include "detect/syscalls/normal_errors.h"
#include "engine/trainer.h"
#include "model/outcome.h"
#include "report/html.h"
#include "report/wording.h"

namespace laggard::cmd {

namespace {

struct TrainOptions {
  AnalysisOptions analysis;
  std::string out = "thresholds.toml";
  std::string html;
  bool keep_all = false;
};

/// Who stands out within these recordings, by untrained thresholds: learnt from, it would be normal.
struct StandingOut {
  std::vector<std::string> components;
  std::vector<std::string> sentences;  ///< One per incident.
  /// Who was slower than its peers all the time, which may be its hardware.
  std::vector<std::string> slower;
};

Result<StandingOut> who_stands_out(const TrainOptions& options, AnalysisSetup& setup) {
  DiagnoseOptions untrained;
  untrained.analysis = options.analysis;
  untrained.quiet = true;
  auto diagnosis = diagnose(untrained, setup);
  if (!diagnosis) return forward(diagnosis);
  StandingOut out;
  for (const Incident& incident : diagnosis->incidents) {
    if (incident.as_ever && !is_accounted_for(incident)) {
      out.slower.push_back(fmt::format("{} ({})", report::blamed(incident.blame), incident.cause));
    }
    if (!makes_sick(incident)) continue;
    out.components.insert(out.components.end(), incident.components.begin(), incident.components.end());
    out.sentences.push_back(fmt::format("{} ({}) from {} on: {}", report::blamed(incident.blame),
                                        incident.cause, to_iso8601(incident.since),
                                        fmt::join(incident.components, ", ")));
  }
  const std::vector<std::string>& apart = diagnosis->coverage.clocks.left_out;
  if (!apart.empty()) {
    out.components.insert(out.components.end(), apart.begin(), apart.end());
    out.sentences.push_back(
        fmt::format("{}: recorded at another time, or by another clock", fold_node_set(apart)));
  }
  return out;
}

/// Leaves them out and says so; refuses what two hosts of one name recorded.
Result<std::string> leave_out_who_stands_out(TrainOptions& options) {
  auto setup = prepare(options.analysis);
  if (!setup) return forward(setup);
  auto same_names = hosts_of_one_name(options.analysis.recordings, setup->disorder);
  if (!same_names) return forward(same_names);
  if (!same_names->empty()) return fail(ErrorCode::kBadInput, "", same_names->front());
  // The paper's algorithm learns from what it is given.
  if (options.keep_all || options.analysis.algorithm != "laggard") return std::string{};
  auto out = who_stands_out(options, *setup);
  if (!out) return forward(out);
  std::string told;
  for (const std::string& sentence : out->sentences) {
    told += "stands out, not learnt from: " + printable(sentence) + "\n";
  }
  options.analysis.left_out = std::move(out->components);
  if (!told.empty()) told += "--keep-all learns from everybody: what they do is normal then\n";
  for (const std::string& slower : out->slower) {
    told += "slower than its peers all the time, which is normal from now on: " + printable(slower) + "\n";
  }
  return told;
}

/// What was chosen, found and left out.
std::string notes_of(const AnalysisSetup& setup) {
  std::string said;
  for (const std::string& remark : setup.remarks) said += printable(remark) + "\n";
  for (const std::string& sentence : saturated_sentences(setup)) said += printable(sentence) + "\n";
  for (const std::string& notice : setup.inventory.notices) said += "note: " + printable(notice) + "\n";
  const std::size_t damaged = setup.inventory.damaged.size();
  if (damaged > 0) {
    said += fmt::format("note: these thresholds are of a part of the recording: {} of its files {} damaged\n",
                        damaged, damaged == 1 ? "is" : "are");
  }
  for (const std::string& sentence : setup.grouping.not_comparable)
    said += "not compared: " + printable(sentence) + "\n";
  return said;
}

/// What servers' profiles teach; no groups where none were recorded.
Result<std::vector<detect::GroupThresholds>> behaviour_of(const AnalysisSetup& setup,
                                                          const detect::CodeMeasure& measure) {
  detect::BehaviourTrainer trainer(setup.grouping, measure);
  if (setup.observations == nullptr) return trainer.finish();
  const ObservationRequest request{
      .from = setup.request.from,
      .to = setup.request.to,
      .kinds = {detect::BehaviourDetector::kProfiles.begin(), detect::BehaviourDetector::kProfiles.end()},
      .hosts = {}};
  auto reader = setup.observations->read_profiles(request);
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!table->has_value()) return trainer.finish();
    trainer.add(**table);
  }
}

Status train(TrainOptions options) {
  const NamedOutput outputs[] = {{"--out", options.out}, {"--html", options.html}};
  const std::filesystem::path inputs[] = {options.analysis.system, options.analysis.ledger};
  if (Status safe = check_outputs(outputs, inputs); !safe) return safe;
  auto stands_out = leave_out_who_stands_out(options);
  if (!stands_out) return forward(stands_out);
  auto setup = prepare(options.analysis);
  if (!setup) return forward(setup);
  if (Status found = find_saturated(*setup); !found) return found;
  using engine::Trainer;
  engine::Trainers trainers(setup->grouping,
                            {setup->preset, setup->pipeline, options.analysis.recordings.size()});
  std::set<std::string> normal_errors;
  const ObservationConsumer events{
      .events =
          [&](const EventTable& table) {
            trainers.all([&](Trainer& one) { one.add(table); });
            detect::add_normal_errors(table, setup->grouping.resolver, normal_errors);
          },
      .complete = [&](WallTime until) { trainers.all([&](Trainer& one) { one.advance(until); }); }};
  Status read = read_all_derived(*setup, "training", events, [&](std::span<const SampleTable> tables) {
    trainers.all([&](Trainer& one) { one.add(tables); });
  });
  if (!read) return read;
  trainers.all([](Trainer& one) { one.finish(); });
  detect::Thresholds thresholds = trainers.result();
  if (thresholds.groups.empty()) {
    return fail(ErrorCode::kBadInput, options.analysis.recordings.front().string(),
                fmt::format("holds no group of at least 3 peers with a whole window of samples to train on{}",
                            options.analysis.left_out.empty() ? "" : " that does not stand out itself"));
  }
  thresholds.normal_errors = normal_errors;
  auto measure = code_measure_of(options.analysis);
  if (!measure) return forward(measure);
  auto behaviour = behaviour_of(*setup, *measure);
  if (!behaviour) return forward(behaviour);
  std::ranges::move(*behaviour, std::back_inserter(thresholds.groups));
  auto text = detect::write_thresholds(thresholds);
  if (!text) return forward(text);
  if (Status written = write_file(options.out, *text); !written) return written;
  std::string said = *stands_out + notes_of(*setup);
  if (!normal_errors.empty()) {
    said += fmt::format("errors of servers' system calls that are normal from now on: {}\n",
                        fmt::join(normal_errors, ", "));
  }
  said += fmt::format("trained on {} windows of {} recording{}: {}\n", trainers.windows(),
                      options.analysis.recordings.size(), options.analysis.recordings.size() == 1 ? "" : "s",
                      printable(options.out));
  Status printed = print(said);
  if (options.html.empty()) return printed;
  auto plots = training_plots(*setup);
  if (!plots) return forward(plots);
  if (Status written = write_file(options.html, report::training_html(*plots)); !written) return written;
  if (printed)
    printed = print(fmt::format("plots to accept or refuse these days by: {}\n", printable(options.html)));
  return printed;
}

}  // namespace

void add_train_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Learn thresholds from fault-free recordings");
  add_analysis_options(*command, options->analysis);
  command->add_option("-o,--out", options->out, "Where the thresholds go")
      ->capture_default_str()
      ->type_name("FILE");
  command
      ->add_option("--html", options->html, "Superimposed plots of all peers, to see that nothing was wrong")
      ->type_name("FILE");
  command->add_flag("--keep-all", options->keep_all, "Learn from those that stand out, too");
  command->footer(
      "Example:\n  laggard train rec-monday rec-tuesday --out thresholds.toml --html training.html");
  command->callback([options, &context] {
    if (Status done = train(*options); !done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
