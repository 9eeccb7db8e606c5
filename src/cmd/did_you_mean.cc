#include "cmd/did_you_mean.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/nearest_name.h"

namespace laggard::cmd {

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

}  // namespace

std::string did_you_mean(const CLI::App& app) {
  const CLI::App* command = &app;
  while (command->remaining().empty() && !command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  const std::vector<std::string> unknown = command->remaining();
  if (unknown.empty()) return {};
  std::string word = unknown.front();
  const bool is_option = word.starts_with("-");
  if (is_option) word = word.substr(0, word.find('='));
  const std::vector<std::string> names = is_option ? option_names(*command) : command_names(*command);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = nearest_name(word, known);
  if (nearest.empty()) return {};
  return fmt::format("; did you mean {} instead of {}?", nearest, word);
}

}  // namespace laggard::cmd
