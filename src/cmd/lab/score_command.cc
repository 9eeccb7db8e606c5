#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/workers.h"
#include "cmd/lab/lab_commands.h"
#include "cmd/lab/recorded_runs.h"
#include "cmd/lab/results.h"
#include "cmd/lab/score_output.h"
#include "cmd/lab/score_scale.h"
#include "cmd/progress.h"

namespace laggard::cmd {

namespace {

struct ScoreOptions {
  std::vector<std::filesystem::path> folders;
  std::size_t threads = all_threads();
  std::string diagnosis;
  ScoreOutput output;
};

Status score(const ScoreOptions& options) {
  auto days = find_days(options.folders);
  if (!days) return forward(days);
  if (!days->empty()) return score_days({std::move(*days), options.diagnosis, options.output.json});
  auto clusters = find_runs(options.folders);
  if (!clusters) return forward(clusters);
  SystemClock clock;
  Progress progress("scoring", clock);
  std::vector<ClusterResults> results;
  for (const auto& [cluster, runs] : *clusters) {
    auto scored = score_cluster(runs, options.threads);
    if (!scored) return forward(scored);
    results.push_back(std::move(*scored));
    progress.update(static_cast<double>(results.size()) / static_cast<double>(clusters->size()));
  }
  progress.clear();
  return put_out(options.output, results, false);
}

}  // namespace

void add_lab_score(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = lab.add_subcommand("score", "Hold diagnoses of recorded runs against their truth");
  command->add_option("DIR", options->folders, "Runs with a truth.json, or folders of them")->required();
  command->add_option("--threads", options->threads, "Runs at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command
      ->add_option("--diagnosis", options->diagnosis,
                   "Recordings of --scale: take this diagnosis in each folder (diagnose --json) instead of "
                   "making one")
      ->type_name("FILE");
  add_score_output(*command, options->output);
  command->footer("Example:\n  laggard lab score runs --html score.html");
  command->callback([options, &context] {
    if (Status done = score(*options); !done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
