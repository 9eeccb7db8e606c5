// laggard-demo: of laggard's commands the two that a first look needs, so that it need not wait for the
// others to be compiled. cmake/Demo.cmake finds the sources that they reach.
#include "cmd/commands.h"
#include "cmd/program.h"

namespace {

void add_commands(CLI::App& app, laggard::cmd::Context& context) {
  laggard::cmd::add_demo_command(app, context);
  laggard::cmd::add_diagnose_command(app, context);
}

}  // namespace

int main(int argc, char** argv) {
  return laggard::cmd::run_program({.name = "laggard-demo",
                                    .description = "laggard, with the commands that its demo needs.",
                                    .version = LAGGARD_VERSION,
                                    .add_commands = add_commands},
                                   argc, argv);
}
