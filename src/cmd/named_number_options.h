#pragma once

// `--set NAME=X` and `--parameters`: any number of a table of named ones, and the list of them.

#include <string>
#include <vector>

#include "cmd/program.h"

namespace laggard::cmd {

struct NamedNumberHelp {
  std::string group;          ///< Of the help, under which both stand.
  std::string what;           ///< What --set changes, with an example.
  std::string (*describe)();  ///< All of them with the values in force, for --parameters.
};

/// \param assignments  where each NAME=X goes, unread; must outlive the command.
void add_named_number_options(CLI::App& command, const NamedNumberHelp& help,
                              std::vector<std::string>& assignments);

}  // namespace laggard::cmd
