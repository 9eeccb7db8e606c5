// Apart from the preparation, which needs none of the command line's machinery.
#include <string>

#include "base/file.h"
#include "cmd/analysis_setup.h"
#include "cmd/shared_options.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::cmd {

void add_analysis_options(CLI::App& command, AnalysisOptions& o) {
  command.add_option("recording", o.recordings, "Recordings to read; several are put side by side")
      ->required()
      ->type_name("REC");
  command
      .add_option("--preset", o.preset,
                  "Windows and filters: auto, lab, production or quick; lab,quick for both side by side")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "lab", "production", "quick", "lab,quick"}));
  command.add_option("--system", o.system, "What is connected to what (docs/formats/system.md)")
      ->type_name("FILE");
  command
      .add_option("--distance", o.distances, "cdf, wasserstein, kl, median, thresh, or several: cdf,median")
      ->capture_default_str()
      ->type_name("D,...");
  command
      .add_option("--code-distance", o.code_distance,
                  "Of the functions that servers run: manhattan, relative, scaled or kl")
      ->capture_default_str()
      ->check(CLI::IsMember({"manhattan", "relative", "scaled", "kl"}))
      ->type_name("D");
  command
      .add_option("--code-weights", o.code_weights,
                  "What functions count for in that: lines PATTERN WEIGHT, or spread")
      ->type_name("FILE");
  command.add_option("--metric", o.metrics, "Compare only these metrics: await,rd_sec,...")
      ->type_name("M,...");
  command.add_option("--from", o.from, "Start here (ISO 8601 or Unix seconds)")->type_name("TIME");
  command.add_option("--to", o.to, "Stop before this")->type_name("TIME");
  command.add_option("--algorithm", o.algorithm, "laggard, or paper: Kasick's to the letter")
      ->capture_default_str()
      ->check(CLI::IsMember({"laggard", "paper"}));
  command.add_flag("--one-client", o.one_client,
                   "Of connections, only one client's windows count, as F had them");
  command.add_option("--peers", o.peers, "Peers of a disk without --system: auto, rank, host or all")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "rank", "host", "all"}));
  command.add_option("--ledger", o.ledger, "The operators' decisions (laggard incident), when not in REC")
      ->type_name("FILE");
  command.add_option("--threads", o.threads, "Threads to work with; 0: as many as the machine runs at once")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  add_constant_options(command, o);
}

/// The numbers behind a verdict: those of the preset by name, all others through --set.
void add_constant_options(CLI::App& command, AnalysisOptions& o) {
  const std::string parameters = "Parameters of the preset";
  command.add_option("--window", o.window_size, "WinSize, in samples")->group(parameters)->type_name("N");
  command.add_option("--shift", o.window_shift, "WinShift, in samples")->group(parameters)->type_name("N");
  command.add_option("--smoothing", o.smoothing, "Moving average, in samples")
      ->group(parameters)
      ->type_name("N");
  command.add_option("--filter-k", o.k, "Faulty when anomalous in k of 2k-1 windows")
      ->group(parameters)
      ->type_name("K");
  command.add_option("--factor", o.factor, "Trained thresholds are multiplied by this")
      ->group(parameters)
      ->type_name("F");
  command.add_option("--step", o.step, "Down-sample to this, e.g. 15s")->group(parameters)->type_name("TIME");
  command
      .add_option("--confirm-persistence", o.confirm_persistence,
                  "Windows of trouble that confirm an incident")
      ->group(parameters)
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_named_number_options(command,
                           {parameters, "Any other parameter, as latency.threshold=4",
                            [] { return detect::describe_parameters({}); }},
                           o.parameters);
}

Result<detect::CodeMeasure> code_measure_of(const AnalysisOptions& options) {
  const auto distance =
      detect::code_distance(options.code_distance).value_or(detect::CodeDistance::kManhattan);
  if (options.code_weights.empty()) return detect::CodeMeasure{.distance = distance};
  auto text = read_file(options.code_weights);
  if (!text) return forward(text);
  return detect::read_weights(distance, *text, options.code_weights);
}

}  // namespace laggard::cmd
