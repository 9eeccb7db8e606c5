#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cmd/lab/results.h"

namespace laggard::cmd {

/// Where the results go: the options that `lab score` and `lab campaign` share.
struct ScoreOutput {
  std::string json;
  std::string html;
  std::string markdown;
};

void add_score_output(CLI::App& command, ScoreOutput& output);

/// Prints the tables unless the JSON takes their place, and writes the files.
[[nodiscard]] Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results,
                             bool sweep);

}  // namespace laggard::cmd
