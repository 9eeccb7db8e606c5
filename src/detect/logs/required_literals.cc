#include "detect/logs/required_literals.h"

#include <algorithm>
#include <utility>

namespace laggard::detect {

namespace {

/// Behind the class that begins at `i` (`[...]`); a bracket may be escaped, or stand first.
std::size_t behind_class(std::string_view expression, std::size_t i) {
  ++i;
  if (i < expression.size() && expression[i] == '^') ++i;
  if (i < expression.size() && expression[i] == ']') ++i;
  while (i < expression.size() && expression[i] != ']') i += expression[i] == '\\' ? 2U : 1U;
  return std::min(i + 1, expression.size());
}

using Literals = std::vector<std::string>;  ///< One of them is in every match.

std::size_t shortest(const Literals& literals) {
  std::size_t least = literals.empty() ? 0 : literals.front().size();
  for (const std::string& literal : literals) least = std::min(least, literal.size());
  return least;
}

/// Walks along an expression once, group within group.
class Walk {
 public:
  explicit Walk(std::string_view expression) : rest_(expression) {}

  /// Up to the end of the group, or of the expression: of each alternative the best literals; none where an
  /// alternative has none that are long enough.
  Literals alternatives(std::size_t depth) {
    // RE2 itself refuses what is nested deeper than 1,000.
    constexpr std::size_t kDeepest = 1000;
    Literals all;
    bool each_has_some = true;
    while (true) {
      const Literals some = depth > kDeepest ? Literals{} : alternative(depth);
      each_has_some = each_has_some && shortest(some) >= kShortestLiteral;
      all.insert(all.end(), some.begin(), some.end());
      if (!rest_.starts_with('|')) break;
      rest_.remove_prefix(1);
    }
    return each_has_some ? all : Literals{};
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  /// What all matches of a piece of the expression contain, while it is put together.
  struct Best {
    std::string run;
    Literals literals;

    void offer(Literals other) {
      if (shortest(other) > shortest(literals)) literals = std::move(other);
    }
    void end_run() { offer({std::exchange(run, {})}); }
  };

  Literals alternative(std::size_t depth) {
    Best best;
    while (!rest_.empty() && !rest_.starts_with('|') && !rest_.starts_with(')')) step(best, depth);
    best.end_run();
    return std::move(best.literals);
  }

  void step(Best& best, std::size_t depth) {
    const char c = rest_.front();
    switch (c) {
      case '\\':
        return escape(best);
      case '[':
        best.end_run();
        rest_.remove_prefix(behind_class(rest_, 0));
        return;
      case '(':
        best.end_run();
        return group(best, depth);
      case '?':
      case '*':
      case '{':
        if (!best.run.empty()) best.run.pop_back();
        best.end_run();
        rest_.remove_prefix(c == '{' ? std::min(rest_.find('}'), rest_.size() - 1) + 1 : 1);
        return;
      case '.':
      case '^':
      case '$':
      case '+':
        best.end_run();
        break;
      default:
        best.run += c;
    }
    rest_.remove_prefix(1);
  }

  /// `(?:a|b)`, `(?P<name>a|b)`, `(a|b)`; one that may be missing has nothing that must be there.
  void group(Best& best, std::size_t depth) {
    rest_.remove_prefix(1);
    if (rest_.starts_with("?:")) rest_.remove_prefix(2);
    if (rest_.starts_with("?P<")) rest_.remove_prefix(std::min(rest_.find('>'), rest_.size() - 1) + 1);
    Literals literals = alternatives(depth + 1);
    if (rest_.starts_with(')')) rest_.remove_prefix(1);
    const bool may_be_missing = rest_.starts_with('?') || rest_.starts_with('*') || rest_.starts_with('{');
    if (!may_be_missing) best.offer(std::move(literals));
  }

  /// `\.` is a literal, `\d` is not.
  void escape(Best& best) {
    const char c = rest_.size() > 1 ? rest_[1] : '\\';
    const bool is_class = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_class) {
      best.end_run();
    } else {
      best.run += c;
    }
    rest_.remove_prefix(std::min<std::size_t>(2, rest_.size()));
  }

  std::string_view rest_;
};

/// `\x41`, `\p{L}`, `\07`, `\Q…\E`: what is written in more than two characters, which the walk does not
/// read.
bool has_long_escapes(std::string_view expression) {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] != '\\') continue;
    const char c = expression[++i];
    if (c == 'x' || c == 'p' || c == 'P' || c == 'Q' || c == 'C' || (c >= '0' && c <= '9')) return true;
  }
  return false;
}

/// `(?i)`, `(?s-m:…)`: whether flags change what a letter stands for.
bool has_flags(std::string_view expression) {
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] == '\\') {
      ++i;
      continue;
    }
    const std::string_view rest = expression.substr(i);
    if (rest.starts_with("(?") && !rest.starts_with("(?:") && !rest.starts_with("(?P<")) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> required_literals(std::string_view expression) {
  if (has_flags(expression) || has_long_escapes(expression)) return std::nullopt;
  Walk walk(expression);
  Literals literals = walk.alternatives(0);
  if (literals.empty() || !walk.at_end()) return std::nullopt;
  return literals;
}

}  // namespace laggard::detect
