#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace laggard::cmd {

/// The one of `names` that is nearest to `word` in insertions, deletions and replacements of a letter, when
/// it is at most two away and nearer than the word is long; else empty.
[[nodiscard]] std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

/// What may have been meant by the first word of a command line that nobody knows: `; did you mean diagnose
/// instead of diagnos?`; empty when nothing comes near.
[[nodiscard]] std::string did_you_mean(const CLI::App& app);

}  // namespace laggard::cmd
