#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "archive/reader.h"
#include "base/workers.h"
#include "cmd/progress.h"
#include "cmd/read_recording.h"
#include "detect/peer/compare/preset.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/results.h"
#include "lab/cmd/run_folder.h"
#include "lab/cmd/score_scale.h"
#include "topology/system_file.h"

namespace laggard::lab {

namespace {

/// A recorded run and what was wrong in it.
struct Recorded {
  std::filesystem::path folder;
  Truth truth;
};

/// Runs by cluster (file system, clients, servers), in the order of their times.
using Clusters = std::map<std::tuple<std::string, std::size_t, std::size_t>, std::vector<Recorded>>;

Status collect_run(const std::filesystem::path& folder, Clusters& clusters) {
  auto truth = read_truth(folder);
  if (!truth) return forward(truth);
  clusters[{truth->file_system, truth->clients, truth->servers}].push_back({folder, std::move(*truth)});
  return {};
}

bool trains(const Truth& truth) {
  return !truth.sick() &&
         (truth.workload == "ddr" || truth.workload == "ddw" || truth.workload == "postmark");
}

Result<std::optional<SystemModel>> system_of(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kSystemFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  auto model = topology::load_system(path.string());
  if (!model) return forward(model);
  return std::move(*model);
}

Result<std::unique_ptr<SeriesSource>> open_run(const Recorded& run) {
  auto reader = archive::Reader::open(std::vector{run.folder});
  if (!reader) return forward(reader);
  return std::unique_ptr<SeriesSource>(std::move(*reader));
}

Result<std::vector<detect::ThresholdBook>> train(const std::vector<Recorded>& runs,
                                                 const std::vector<MethodSpec>& methods) {
  std::vector<std::unique_ptr<SeriesSource>> sources;
  std::optional<WallTime> stopped;
  for (const Recorded& run : runs) {
    if (!trains(run.truth)) continue;
    if (stopped && run.truth.start < *stopped) {
      return fail(
          ErrorCode::kBadInput, run.folder.string(),
          "was recorded at the same time as another fault-free run of its cluster; cannot train on both");
    }
    stopped = run.truth.stop;
    auto source = open_run(run);
    if (!source) return forward(source);
    sources.push_back(std::move(*source));
  }
  if (sources.empty()) {
    return fail(ErrorCode::kNotFound, runs.front().folder.string(),
                "there is no fault-free run of ddr, ddw or postmark on its cluster to train on");
  }
  auto system = system_of(runs.front().folder);
  if (!system) return forward(system);
  std::vector<detect::ThresholdBook> books(methods.size());
  for (std::size_t m = 0; m < methods.size(); ++m) {
    if (!methods[m].trained) continue;
    auto thresholds = train_on(methods[m], sources, *system ? &**system : nullptr);
    if (!thresholds) return forward(thresholds);
    books[m] = detect::ThresholdBook(std::move(*thresholds));
  }
  return books;
}

Result<CampaignRun> judge_recorded(const Recorded& run, const std::vector<MethodSpec>& methods,
                                   const std::vector<detect::ThresholdBook>& books) {
  auto system = system_of(run.folder);
  if (!system) return forward(system);
  CampaignRun scored;
  scored.truth = run.truth;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    auto source = open_run(run);
    if (!source) return forward(source);
    auto judgement = judge_run(methods[m], **source, *system ? &**system : nullptr, books[m]);
    if (!judgement) return forward(judgement);
    scored.outcomes.push_back(judge(run.truth, judgement->accusations));
    scored.judgements.push_back(std::move(*judgement));
  }
  return scored;
}

/// All runs at and below the folders: those with a truth file.
Result<Clusters> find_runs(const std::vector<std::filesystem::path>& folders) {
  Clusters clusters;
  std::error_code error;
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::exists(folder / kTruthFile, error)) {
      if (Status taken = collect_run(folder, clusters); !taken) return forward(taken);
      continue;
    }
    for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().filename() != kTruthFile) continue;
      if (Status taken = collect_run(it->path().parent_path(), clusters); !taken) return forward(taken);
    }
  }
  if (clusters.empty()) {
    return fail(ErrorCode::kNotFound, folders.front().string(),
                fmt::format("holds no run: no {} at or below it", kTruthFile));
  }
  for (auto& [cluster, runs] : clusters) {
    std::sort(runs.begin(), runs.end(), [](const Recorded& a, const Recorded& b) {
      return std::tie(a.truth.start, a.folder) < std::tie(b.truth.start, b.folder);
    });
  }
  return clusters;
}

/// What `auto` takes for the shortest run: all are judged alike, and like those that are trained on.
Result<std::string_view> preset_for(const std::vector<Recorded>& runs) {
  Duration shortest = Duration::max();
  for (const Recorded& run : runs) {
    auto source = open_run(run);
    if (!source) return forward(source);
    auto inventory = (*source)->inventory();
    if (!inventory) return laggard::forward(inventory);
    shortest = std::min(shortest, cmd::recorded_time(*inventory, {}));
  }
  // Production's windows are made for days; runs of an hour are judged like shorter ones.
  const detect::Preset& lab = *detect::find_preset("lab");
  const std::string_view preset = detect::preset_for_length(shortest, lab.windows.interval).name;
  return preset == "quick" ? preset : lab.name;
}

/// Judges the runs of one cluster by the paper's method and ours, trained on the fault-free ddr, ddw and
/// postmark runs among them.
Result<ClusterResults> score_cluster(const std::vector<Recorded>& runs, std::size_t threads) {
  auto preset = preset_for(runs);
  if (!preset) return laggard::forward(preset);
  const std::vector<MethodSpec> methods{one_client_method(*preset), paper_method(*preset),
                                        laggard_method(*preset), untrained_method(*preset)};
  auto books = train(runs, methods);
  if (!books) return forward(books);
  std::vector<Result<CampaignRun>> judged(runs.size());
  Workers(threads).run(runs.size(),
                       [&](std::size_t i) { judged[i] = judge_recorded(runs[i], methods, *books); });
  std::vector<CampaignRun> scored;
  for (auto& run : judged) {
    if (!run) return forward(run);
    scored.push_back(std::move(*run));
  }
  return summarize(scored, methods);
}

struct ScoreOptions {
  std::vector<std::filesystem::path> folders;
  std::size_t threads = all_threads();
  std::string diagnosis;
  bool paths = false;
  ScoreOutput output;
};

/// The files that are read in the folders of runs, apart from their recordings.
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
  if (!days->empty())
    return score_days({std::move(*days), options.diagnosis, options.output.json, options.paths});
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
  command->add_flag("--paths", options->paths,
                    "Recordings of --scale: blame by the model of paths alone, which pings are localized by");
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
