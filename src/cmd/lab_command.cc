#include "cmd/commands.h"
#include "cmd/lab/lab_commands.h"

namespace laggard::cmd {

void add_lab_command(CLI::App& app, Context& context) {
  CLI::App* lab =
      app.add_subcommand("lab", "Make clusters sick in known ways, and score what is said about them");
  lab->require_subcommand(1);
  lab->footer("How the simulation works: docs/methods/simulation.md");
  add_lab_simulate(*lab, context);
  add_lab_bench(*lab, context);
  add_lab_campaign(*lab, context);
  add_lab_score(*lab, context);
}

}  // namespace laggard::cmd
