#include "collect/import/prometheus/selector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace laggard::collect {

std::string selector(std::span<const std::string_view> metrics, std::span<const std::string_view> matchers) {
  std::string out = fmt::format("{{__name__=~\"{}\"", fmt::join(metrics, "|"));
  for (std::string_view matcher : matchers) {
    matcher = trim(matcher);
    if (matcher.starts_with('{') && matcher.ends_with('}'))
      matcher = trim(matcher.substr(1, matcher.size() - 2));
    if (!matcher.empty()) out.append(",").append(matcher);
  }
  return out + "}";
}

std::string any_of(std::string_view label, std::span<const std::string> values) {
  std::string pattern;
  for (const std::string& value : values) {
    if (!pattern.empty()) pattern += '|';
    for (const char c : value) {
      // A backslash for the pattern is two in the string around it.
      constexpr std::string_view kSpecial = ".+*?()|[]{}^$";
      if (kSpecial.find(c) != std::string_view::npos) pattern += R"(\\)";
      if (c == '\\') pattern += R"(\\\)";
      if (c == '"') pattern += '\\';
      pattern += c;
    }
  }
  return fmt::format("{}=~\"{}\"", label, pattern);
}

}  // namespace laggard::collect
