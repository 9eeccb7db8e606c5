#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>

#include "lab/cmd/results.h"

namespace laggard::lab {

/// Where the results go: the options that `laggard-lab score` and `laggard-lab campaign` share.
struct ScoreOutput {
  std::string json;
  std::string html;
  std::string markdown;
};

void add_score_output(CLI::App& command, ScoreOutput& output);

/// Before the work: whether the files may be written there.
[[nodiscard]] Status check(const ScoreOutput& output, std::span<const std::filesystem::path> inputs = {});

/// Prints the tables unless the JSON takes their place, and writes the files.
[[nodiscard]] Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results,
                             bool sweep);

}  // namespace laggard::lab
