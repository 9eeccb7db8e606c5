#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/workers.h"
#include "cmd/progress.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/recorded_runs.h"
#include "lab/cmd/results.h"
#include "lab/cmd/run_folder.h"
#include "lab/cmd/score_scale.h"

namespace laggard::lab {

namespace {

struct ScoreOptions {
  std::vector<std::filesystem::path> folders;
  std::size_t threads = all_threads();
  std::string diagnosis;
  ScoreOutput output;
};

/// What is read in the folders of runs, apart from their recordings.
std::vector<std::filesystem::path> files_read(const std::vector<std::filesystem::path>& folders,
                                              const std::string& diagnosis) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : folders) {
    files.push_back(folder / kSystemFile);
    files.push_back(folder / kTruthFile);
    if (!diagnosis.empty()) files.push_back(folder / diagnosis);
  }
  return files;
}

Status score(const ScoreOptions& options) {
  auto days = find_days(options.folders);
  if (!days) return forward(days);
  if (Status safe = check(options.output, files_read(*days, options.diagnosis)); !safe) return safe;
  if (!days->empty()) return score_days({std::move(*days), options.diagnosis, options.output.json});
  auto clusters = find_runs(options.folders);
  if (!clusters) return forward(clusters);
  for (const auto& [cluster, runs] : *clusters) {
    std::vector<std::filesystem::path> folders;
    for (const Recorded& run : runs) folders.push_back(run.folder);
    if (Status safe = check(options.output, files_read(folders, {})); !safe) return safe;
  }
  SystemClock clock;
  cmd::Progress progress("scoring", clock);
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

void add_score_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = app.add_subcommand("score", "Hold diagnoses of recorded runs against their truth");
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
  command->footer("Example:\n  laggard-lab score runs --html score.html");
  command->callback([options, &context] {
    if (Status done = score(*options); !done)
      context.status = cmd::report_error(done.error(), context.program);
  });
}

}  // namespace laggard::lab
