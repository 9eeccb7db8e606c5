#include "cmd/named_number_options.h"

#include <cstdio>

namespace laggard::cmd {

void add_named_number_options(CLI::App& command, const NamedNumberHelp& help,
                              std::vector<std::string>& assignments) {
  command.add_option("--set", assignments, help.what + "; may be repeated")
      ->group(help.group)
      ->type_name("NAME=X")
      ->allow_extra_args(false);
  const auto print = [describe = help.describe] {
    std::fputs(describe().c_str(), stdout);
    throw CLI::Success();
  };
  command.add_flag_callback("--constants", print, "Print what --set can change, with the values in force")
      ->group(help.group);
}

}  // namespace laggard::cmd
