#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::detect {

/// The fewest characters of a literal by which lines are preselected.
inline constexpr std::size_t kShortestLiteral = 4;

/// Literals of which every match of the expression contains at least one: the longest run of characters that
/// stand for themselves, or, where a group is better, one of each of its alternatives. So `a+ lot of (?:b|c)`
/// needs ` lot of `, and `(?:lost|gone) x` needs `lost` or `gone`. Nothing where there is none of
/// kShortestLiteral characters, where letters need not be of the same case, or where characters are written
/// by their numbers. \param expression  in RE2's syntax, which has been checked.
[[nodiscard]] std::optional<std::vector<std::string>> required_literals(std::string_view expression);

}  // namespace laggard::detect
