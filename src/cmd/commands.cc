#include "cmd/commands.h"

namespace laggard::cmd {

void add_commands(CLI::App& /*app*/, Context& /*context*/) {}

}  // namespace laggard::cmd
