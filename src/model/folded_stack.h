#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laggard {

/// A call stack as profiles of the kind kStacksKind name it: `PROGRAM;OUTERMOST;...;INNERMOST`, the form that
/// flame graphs are drawn from. Names are cleaned (clean_name). Where a stack is longer than a
/// word may be, functions on the outside are missing, and `[...]` stands in their place: what a program did
/// is told by the inner ones. \param frames  from the outermost to the innermost; an empty name is written as
/// `[unknown]`.
[[nodiscard]] std::string to_folded(std::string_view program, std::span<const std::string_view> frames);

/// Program and functions of such a word, as views into it. The functions are empty where it names none.
struct FoldedStack {
  std::string_view program;
  std::vector<std::string_view> frames;  ///< From the outermost to the innermost.
};
[[nodiscard]] FoldedStack folded_stack(std::string_view word);

}  // namespace laggard
