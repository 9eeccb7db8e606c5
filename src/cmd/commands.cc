#include "cmd/commands.h"

namespace laggard::cmd {

namespace {

void add_commands(CLI::App& app, Context& context) {
  add_record_command(app, context);
  add_import_command(app, context);
  add_demo_command(app, context);
  add_train_command(app, context);
  add_diagnose_command(app, context);
  add_watch_command(app, context);
  add_incident_command(app, context);
  add_system_command(app, context);
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
