// The numbers behind a verdict, as options: those of the preset by name, all others through --set.

#include <string>

#include "cmd/analysis_setup.h"
#include "cmd/named_number_options.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::cmd {

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

}  // namespace laggard::cmd
