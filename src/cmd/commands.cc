#include "cmd/commands.h"

namespace laggard::cmd {

namespace {

/// `laggard lab` was what the program laggard-lab is now. Whoever still types it is told so, whatever words
/// follow.
void add_lab_command(CLI::App& app, Context& context) {
  CLI::App* lab = app.add_subcommand("lab");
  lab->group("");  // No line in the help of commands.
  lab->set_help_flag();
  lab->prefix_command();
  lab->callback([&context] {
    context.status = report_error({ErrorCode::kBadUse, "lab", "is a program of its own: laggard-lab"});
  });
}

void add_commands(CLI::App& app, Context& context) {
  add_record_command(app, context);
  add_import_command(app, context);
  add_demo_command(app, context);
  add_train_command(app, context);
  add_diagnose_command(app, context);
  add_watch_command(app, context);
  add_history_command(app, context);
  add_incident_command(app, context);
  add_system_command(app, context);
  add_ping_command(app, context);
  add_log_command(app, context);
  add_export_command(app, context);
  add_send_command(app, context);
  add_info_command(app, context);
  add_lab_command(app, context);
}

}  // namespace

Program laggard_program() {
  return {.name = "laggard",
          .description = "laggard finds the component that limps in a parallel file system.",
          .version = LAGGARD_VERSION,
          .add_commands = add_commands};
}

}  // namespace laggard::cmd
