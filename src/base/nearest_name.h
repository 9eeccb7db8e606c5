#pragma once

#include <span>
#include <string_view>

namespace laggard {

/// The name that was probably meant by a misspelt word: the nearest in inserted, dropped and replaced letters
/// (Levenshtein), of equally near ones the first. At most a third of the word's letters may differ, two in
/// short words, and fewer than either has. Empty when none is so near, or when the word has more than 64
/// letters.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace laggard
