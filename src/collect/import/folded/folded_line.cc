#include "collect/import/folded/folded_line.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "model/code_profile.h"

namespace laggard::collect {

namespace {

/// Takes what stackcollapse-perf.pl --all puts behind functions: `_[k]` of the kernel, `_[j]` of a
/// just-in-time compiler, `_[i]` inlined, `_[w]` of a waker. \return the binary that it tells.
std::string_view take_mark(std::string_view& function) {
  constexpr std::size_t kMark = 4;
  if (function.size() <= kMark || !function.ends_with(']')) return {};
  const std::string_view mark = function.substr(function.size() - kMark);
  if (!mark.starts_with("_[")) return {};
  const char kind = mark[2];
  if (kind != 'k' && kind != 'j' && kind != 'i' && kind != 'w') return {};
  function.remove_suffix(kMark);
  return kind == 'k' ? kNobody : kind == 'j' ? std::string_view("[jit]") : std::string_view();
}

}  // namespace

std::optional<FoldedLine> parse_folded_line(std::string_view line) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  line = trim(line);
  const std::size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const auto count = to_number<std::uint64_t>(line.substr(blank + 1));
  const std::string_view stack = trim(line.substr(0, blank));
  if (!count || *count == 0 || *count >= kMost || stack.starts_with(';')) return std::nullopt;
  // Any bytes with a number at their end would be a stack otherwise.
  if (std::ranges::any_of(stack, is_control)) return std::nullopt;
  FoldedLine folded{.stack = folded_stack(stack), .binary = {}, .count = *count};
  for (std::string_view& function : folded.stack.frames) folded.binary = take_mark(function);
  return folded;
}

}  // namespace laggard::collect
