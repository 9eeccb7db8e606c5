// The numbers behind a verdict, as options: those of the preset by name, all others through --set.

#include <cstdio>
#include <string>

#include "analyse/judge/constants_table.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

namespace {

void print_constants() {
  std::fputs(analyse::describe_constants({}).c_str(), stdout);
  throw CLI::Success();
}

}  // namespace

void add_constant_options(CLI::App& command, AnalysisOptions& o) {
  const std::string constants = "Constants of the preset";
  command.add_option("--window", o.window_size, "WinSize, in samples")->group(constants)->type_name("N");
  command.add_option("--shift", o.window_shift, "WinShift, in samples")->group(constants)->type_name("N");
  command.add_option("--smoothing", o.smoothing, "Moving average, in samples")
      ->group(constants)
      ->type_name("N");
  command.add_option("--filter-k", o.k, "Faulty when anomalous in k of 2k-1 windows")
      ->group(constants)
      ->type_name("K");
  command.add_option("--factor", o.factor, "Trained thresholds are multiplied by this")
      ->group(constants)
      ->type_name("F");
  command.add_option("--step", o.step, "Down-sample to this, e.g. 15s")->group(constants)->type_name("TIME");
  command
      .add_option("--confirm-persistence", o.confirm_persistence,
                  "Windows of trouble that confirm an incident")
      ->group(constants)
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_option("--set", o.constants, "Any other constant, as latency.threshold=4; may be repeated")
      ->group(constants)
      ->type_name("NAME=X")
      ->allow_extra_args(false);
  command
      .add_flag_callback("--constants", print_constants,
                         "Print what --set can change, with the values in force")
      ->group(constants);
}

}  // namespace laggard::cmd
