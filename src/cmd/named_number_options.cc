#include "cmd/named_number_options.h"

#include "cmd/standard_streams.h"

namespace laggard::cmd {

namespace {

/// Of the program that this is a command of, at whatever depth.
const CLI::App& program_of(const CLI::App& command) {
  const CLI::App* app = &command;
  while (app->get_parent() != nullptr) app = app->get_parent();
  return *app;
}

}  // namespace

void add_named_number_options(CLI::App& command, const NamedNumberHelp& help,
                              std::vector<std::string>& assignments) {
  command.add_option("--set", assignments, help.what + "; may be repeated")
      ->group(help.group)
      ->type_name("NAME=X")
      ->allow_extra_args(false);
  const auto tell = [describe = help.describe, &command] {
    if (Status printed = print(describe()); !printed) {
      throw CLI::RuntimeError(report_error(printed.error(), program_of(command).get_name().c_str()));
    }
    throw CLI::Success();
  };
  command
      .add_flag_callback("--parameters,--constants", tell,
                         "Print what --set can change, with the values in force")
      ->group(help.group);
}

}  // namespace laggard::cmd
