#pragma once

#include "cmd/program.h"

namespace laggard::cmd {

// The subcommands of `laggard lab`, each in a file of its name.
void add_lab_simulate(CLI::App& lab, Context& context);
void add_lab_bench(CLI::App& lab, Context& context);
void add_lab_campaign(CLI::App& lab, Context& context);
void add_lab_score(CLI::App& lab, Context& context);

}  // namespace laggard::cmd
