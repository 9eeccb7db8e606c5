#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/code_profile.h"

namespace laggard::collect {

/// A line of folded stacks, as views of it.
struct FoldedLine {
  FoldedStack stack;        ///< Without the marks of its functions.
  std::string_view binary;  ///< Of the innermost function, as its mark says; empty: unknown.
  std::uint64_t count = 0;
};

/// `PROGRAM;OUTERMOST;...;INNERMOST COUNT`. Nothing where there is no program, no whole count of at least
/// one, below 2^53, or a control character.
[[nodiscard]] std::optional<FoldedLine> parse_folded_line(std::string_view line);

}  // namespace laggard::collect
