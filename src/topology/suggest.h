#pragma once

#include <span>
#include <string>
#include <string_view>

namespace laggard::topology {

/// `; did you mean 'device'?` for the known word that is nearest to a misspelt one, or an empty text when
/// none is near: at most a third of the letters (two for short words) inserted, dropped or replaced.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace laggard::topology
