#include "lab/cmd/commands.h"

namespace laggard::lab {

namespace {

void add_lab_commands(CLI::App& app, cmd::Context& context) {
  app.footer("How the simulation works: docs/methods/simulation.md");
  add_simulate_command(app, context);
  add_bench_command(app, context);
  add_campaign_command(app, context);
  add_score_command(app, context);
  add_localize_command(app, context);
  add_production_command(app, context);
  add_replay_command(app, context);
}

}  // namespace

cmd::Program lab_program() {
  return {.name = "laggard-lab",
          .description = "laggard-lab makes clusters sick in known ways, and scores what is said about them.",
          .version = "laggard-lab " LAGGARD_VERSION,
          .add_commands = add_lab_commands};
}

}  // namespace laggard::lab
