#include "detect/logs/pattern_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/parse_toml.h"
#include "base/text.h"
#include "detect/logs/log_matcher.h"

namespace laggard::detect {

namespace {

constexpr std::size_t kMostPatterns = 10'000;

/// Reads one table `[[pattern]]`.
class PatternReader {
 public:
  PatternReader(const toml::table& table, std::string path, std::deque<std::string>& texts)
      : table_(table), path_(std::move(path)), texts_(texts) {}

  [[nodiscard]] Result<LogPattern> read() {
    LogPattern pattern{.name = {}, .part = PartKind::kServer, .severity = kError, .match = {}, .sample = {}};
    for (const Status& status :
         {check_keys(), required("name", pattern.name), required("match", pattern.match), read_part(pattern),
          read_severity(pattern), read_class(pattern)}) {
      if (!status) return tl::unexpected<Error>(status.error());
    }
    if (Status samples = check_samples(pattern); !samples) return forward(samples);
    return pattern;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> refuse(std::string_view key, std::string what) const {
    const toml::node* node = table_.get(key);
    const auto line = node == nullptr ? table_.source().begin.line : node->source().begin.line;
    return fail(ErrorCode::kBadUse, fmt::format("{}:{}", path_, line), std::move(what));
  }

  [[nodiscard]] Status check_keys() const {
    constexpr std::array<std::string_view, 6> kKeys{"name", "part", "severity", "class", "match", "samples"};
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(kKeys, key.str()) != kKeys.end()) continue;
      return refuse(key.str(), fmt::format("'{}' is no key of a pattern", key.str()));
    }
    return {};
  }

  [[nodiscard]] std::optional<std::string> text(std::string_view key) const {
    return table_[key].value<std::string>();
  }

  [[nodiscard]] Status required(std::string_view key, std::string_view& into) {
    const auto value = text(key);
    if (!value || value->empty()) return refuse(key, fmt::format("a pattern needs '{}', a string", key));
    into = texts_.emplace_back(*value);
    return {};
  }

  [[nodiscard]] Status read_part(LogPattern& pattern) const {
    const auto kind = find_part_kind(text("part").value_or(""));
    if (kind) {
      pattern.part = *kind;
      return {};
    }
    std::vector<std::string> names;
    for (const PartKindSpec& spec : part_kinds()) names.emplace_back(spec.name);
    return refuse("part", fmt::format("'part' must be one of {}", first_few(names, names.size())));
  }

  [[nodiscard]] Status read_severity(LogPattern& pattern) const {
    if (!table_.contains("severity")) return {};
    const auto severity = severity_named(text("severity").value_or(""));
    if (!severity) {
      return refuse("severity",
                    "'severity' must be one of emergency, alert, critical, error, warning, notice, "
                    "info, debug");
    }
    pattern.severity = *severity;
    return {};
  }

  [[nodiscard]] Status read_class(LogPattern& pattern) const {
    if (!table_.contains("class")) return {};
    const std::string name = text("class").value_or("");
    if (name != "failure" && name != "recovery")
      return refuse("class", "'class' must be failure or recovery");
    pattern.what = name == "failure" ? LogClass::kFailure : LogClass::kRecovery;
    return {};
  }

  [[nodiscard]] Status check_samples(LogPattern& pattern) {
    auto matcher = LogMatcher::make({pattern});
    if (!matcher) return refuse("match", fmt::format("'match': {}", matcher.error().what));
    const toml::array* samples = table_["samples"].as_array();
    if (samples == nullptr || samples->empty()) {
      return refuse("samples", "a pattern needs 'samples', a list of lines that it matches");
    }
    for (const toml::node& each : *samples) {
      const auto sample = each.value<std::string>();
      if (!sample || matcher->first(*sample) == nullptr) {
        return fail(ErrorCode::kBadUse, fmt::format("{}:{}", path_, each.source().begin.line),
                    fmt::format("the pattern '{}' does not match this sample", pattern.name));
      }
      if (pattern.sample.empty()) pattern.sample = texts_.emplace_back(*sample);
    }
    return {};
  }

  const toml::table& table_;
  std::string path_;
  std::deque<std::string>& texts_;
};

}  // namespace

Result<PatternFile> PatternFile::parse(std::string_view text, const std::string& path) {
  auto toml = parse_toml(text, path);
  if (!toml) {
    toml.error().code = ErrorCode::kBadUse;
    return forward(toml);
  }
  for (const auto& [key, node] : *toml) {
    if (key.str() == "pattern" && node.is_array_of_tables()) continue;
    return fail(
        ErrorCode::kBadUse, fmt::format("{}:{}", path, node.source().begin.line),
        fmt::format("'{}' is nothing that a file of patterns has; write tables [[pattern]]", key.str()));
  }
  PatternFile file;
  const toml::array* tables = (*toml)["pattern"].as_array();
  if (tables == nullptr) return file;
  if (tables->size() > kMostPatterns) {
    return fail(ErrorCode::kBadUse, path, fmt::format("has more than {} patterns", kMostPatterns));
  }
  for (const toml::node& node : *tables) {
    Result<LogPattern> pattern = PatternReader(*node.as_table(), path, file.texts_).read();
    if (!pattern) return forward(pattern);
    if (std::ranges::find(file.patterns_, pattern->name, &LogPattern::name) != file.patterns_.end()) {
      return fail(ErrorCode::kBadUse, fmt::format("{}:{}", path, node.source().begin.line),
                  fmt::format("the name '{}' is that of another pattern", pattern->name));
    }
    file.patterns_.push_back(*pattern);
  }
  return file;
}

std::vector<LogPattern> with_library(const PatternFile& file) {
  std::vector<LogPattern> all = file.patterns();
  all.insert(all.end(), log_patterns().begin(), log_patterns().end());
  return all;
}

}  // namespace laggard::detect
