#pragma once

#include "cmd/program.h"

namespace laggard::lab {

/// laggard-lab: makes clusters sick in known ways, and scores what is said about them. It is a separate
/// program, so that operators install no fault injectors.
[[nodiscard]] cmd::Program lab_program();

// Its subcommands, each in the file of its name.
void add_simulate_command(CLI::App& app, cmd::Context& context);
void add_bench_command(CLI::App& app, cmd::Context& context);
void add_campaign_command(CLI::App& app, cmd::Context& context);
void add_score_command(CLI::App& app, cmd::Context& context);
void add_localize_command(CLI::App& app, cmd::Context& context);
void add_production_command(CLI::App& app, cmd::Context& context);
void add_replay_command(CLI::App& app, cmd::Context& context);

}  // namespace laggard::lab
