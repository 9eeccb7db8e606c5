#include <fmt/format.h>

#include <cstdio>

#include "analyse/trainer.h"
#include "base/file.h"
#include "cmd/analysis_setup.h"
#include "cmd/commands.h"
#include "cmd/peer_plots.h"
#include "report/html.h"

namespace laggard::cmd {

namespace {

struct TrainOptions {
  AnalysisOptions analysis;
  std::string out = "thresholds.toml";
  std::string html;
};

Status train(const TrainOptions& options) {
  auto setup = prepare(options.analysis);
  if (!setup) return forward(setup);
  analyse::TrainerOptions trainer_options;
  trainer_options.preset = setup->preset;
  trainer_options.pipeline = setup->pipeline;
  trainer_options.recordings = options.analysis.recordings.size();
  analyse::Trainer trainer(setup->grouping, std::move(trainer_options));
  Status read =
      read_all(*setup, "training", [&](std::span<const SampleTable> tables) { trainer.add(tables); });
  if (!read) return read;
  trainer.finish();
  const analyse::Thresholds thresholds = trainer.result();
  if (thresholds.groups.empty()) {
    return fail(ErrorCode::kBadInput, options.analysis.recordings.front().string(),
                "holds no group of at least 3 peers with a whole window of samples to train on");
  }
  auto text = analyse::write_thresholds(thresholds);
  if (!text) return forward(text);
  if (Status written = write_file(options.out, *text); !written) return written;
  for (const std::string& remark : setup->remarks) std::printf("%s\n", remark.c_str());
  for (const std::string& notice : setup->inventory.notices) std::printf("note: %s\n", notice.c_str());
  for (const std::string& sentence : setup->grouping.not_comparable)
    std::printf("not compared: %s\n", sentence.c_str());
  std::printf("trained on %zu windows of %zu recording%s: %s\n", trainer.windows(),
              options.analysis.recordings.size(), options.analysis.recordings.size() == 1 ? "" : "s",
              options.out.c_str());
  if (options.html.empty()) return {};
  auto plots = training_plots(*setup);
  if (!plots) return forward(plots);
  if (Status written = write_file(options.html, report::training_html(*plots)); !written) return written;
  std::printf("plots to accept or refuse these days by: %s\n", options.html.c_str());
  return {};
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
  command->footer(
      "Example:\n  laggard train rec-monday rec-tuesday --out thresholds.toml --html training.html");
  command->callback([options, &context] {
    if (Status done = train(*options); !done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
