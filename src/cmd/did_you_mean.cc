#include "cmd/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace laggard::cmd {

namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

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

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kFarthest = 2;
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string nearest;
  std::size_t least = std::min(kFarthest + 1, word.size());
  for (const std::string& name : names) {
    const std::size_t away = distance(word, name);
    if (away >= least) continue;
    least = away;
    nearest = name;
  }
  return nearest;
}

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
  const std::string nearest =
      nearest_name(word, is_option ? option_names(*command) : command_names(*command));
  if (nearest.empty()) return {};
  return fmt::format("; did you mean {} instead of {}?", nearest, word);
}

}  // namespace laggard::cmd
