#pragma once

#include "cmd/program.h"

namespace laggard::cmd {

/// laggard, with every subcommand. A command lives in a file of its name, `NAME_command.cc`, whose function
/// is declared here and called in commands.cc.
[[nodiscard]] Program laggard_program();

void add_demo_command(CLI::App& app, Context& context);
void add_train_command(CLI::App& app, Context& context);
void add_diagnose_command(CLI::App& app, Context& context);
void add_watch_command(CLI::App& app, Context& context);
void add_history_command(CLI::App& app, Context& context);
void add_incident_command(CLI::App& app, Context& context);
void add_info_command(CLI::App& app, Context& context);
void add_ping_command(CLI::App& app, Context& context);
void add_export_command(CLI::App& app, Context& context);
void add_system_command(CLI::App& app, Context& context);
void add_import_command(CLI::App& app, Context& context);
void add_import_logs(CLI::App& import, Context& context);  ///< A subcommand of import.
void add_import_perf(CLI::App& import, Context& context);
void add_import_folded(CLI::App& import, Context& context);
void add_import_pings(CLI::App& import, Context& context);
void add_import_strace(CLI::App& import, Context& context);
void add_send_command(CLI::App& app, Context& context);
void add_log_command(CLI::App& app, Context& context);
void add_log_mine(CLI::App& log, Context& context);  ///< A subcommand of log.
void add_record_command(CLI::App& app, Context& context);

}  // namespace laggard::cmd
