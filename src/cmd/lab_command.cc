#include "cmd/commands.h"

namespace laggard::cmd {

// `laggard lab` was what the program laggard-lab is now. Whoever still types it is told so, whatever words
// follow.
void add_lab_command(CLI::App& app, Context& context) {
  CLI::App* lab = app.add_subcommand("lab");
  lab->group("");  // No line in the help of commands.
  lab->set_help_flag();
  lab->prefix_command();
  lab->callback([&context] {
    context.status = report_error({ErrorCode::kBadUse, "lab", "is a program of its own: laggard-lab"});
  });
}

}  // namespace laggard::cmd
