#include "detect/behaviour/code_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace laggard::detect {

namespace {

constexpr std::string_view kBy = " by ";
constexpr std::string_view kSpread = "spread";
constexpr double kMostWeight = 1e6;

/// Commas and equals signs divide rules in names.
std::optional<CodeMeasure::Rule> rule(std::string_view pattern, std::string_view weight) {
  const auto number = to_number<double>(weight);
  if (!number || !(*number >= 0) || *number > kMostWeight) return std::nullopt;
  if (pattern.empty() || pattern.find_first_of(",= ") != std::string_view::npos) return std::nullopt;
  return CodeMeasure::Rule{.pattern = std::string(pattern), .weight = *number};
}

/// `[kernel]` is a name here, and no set of letters.
std::string with_plain_brackets(std::string_view pattern) {
  std::string plain;
  for (const char c : pattern) {
    plain += c;
    if (c == '[') plain += "[]";
  }
  return plain;
}

}  // namespace

double CodeMeasure::weight_of(std::string_view word) const {
  const std::string_view last = word.substr(word.rfind(';') + 1);
  const auto matches = [&](const Rule& one) {
    const std::string pattern = with_plain_brackets(one.pattern);
    return glob_match(pattern, word) || glob_match(pattern, last);
  };
  const auto found = std::ranges::find_if(rules, matches);
  return found == rules.end() ? 1 : found->weight;
}

std::string CodeMeasure::name() const {
  std::string text(to_name(distance));
  std::string_view before = kBy;
  if (by_spread) {
    text += fmt::format("{}{}", before, kSpread);
    before = ",";
  }
  for (const Rule& one : rules) {
    text += fmt::format("{}{}={}", before, one.pattern, one.weight);
    before = ",";
  }
  return text;
}

std::optional<CodeMeasure> code_measure(std::string_view name) {
  const std::size_t by = std::min(name.find(kBy), name.size());
  const auto distance = code_distance(name.substr(0, by));
  if (!distance) return std::nullopt;
  CodeMeasure measure{.distance = *distance};
  if (by == name.size()) return measure;
  for (const std::string_view part : split(name.substr(by + kBy.size()), ',')) {
    if (part == kSpread) {
      measure.by_spread = true;
      continue;
    }
    const std::size_t equals = std::min(part.find('='), part.size());
    auto one = rule(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    if (!one) return std::nullopt;
    measure.rules.push_back(std::move(*one));
  }
  return measure;
}

Result<CodeMeasure> read_weights(CodeDistance distance, std::string_view text, std::string_view where) {
  CodeMeasure measure{.distance = distance};
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line == kSpread) {
      measure.by_spread = true;
      continue;
    }
    const std::string_view pattern = take_word(line);
    auto one = rule(pattern, trim(line));
    if (!one) {
      return fail(ErrorCode::kBadInput, fmt::format("{}:{}", where, number),
                  "is no PATTERN WEIGHT, such as 'tcp_* 2' (0 to 1000000), nor 'spread'");
    }
    measure.rules.push_back(std::move(*one));
  }
  return measure;
}

}  // namespace laggard::detect
