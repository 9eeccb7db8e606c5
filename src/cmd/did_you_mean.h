#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace laggard::cmd {

/// What may have been meant by the first word of a command line that nobody knows: `; did you mean diagnose
/// instead of diagnos?`; empty when nothing comes near.
[[nodiscard]] std::string did_you_mean(const CLI::App& app);

}  // namespace laggard::cmd
