#include "explain/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/parse_toml.h"

namespace laggard::explain {

namespace {

/// In the order of Pattern.
constexpr std::array<std::string_view, 10> kPatternNames{
    "lost",     "gone",         "unused",         "whole",           "slow before",
    "failover", "standby used", "comes and goes", "with neighbours", "busy for a moment"};

std::string place(const std::string& where, const toml::source_region& source) {
  return fmt::format("{}:{}", where, source.begin.line);
}

Result<Selector> parse_selector(std::string_view text, const std::string& where) {
  constexpr std::string_view kDetector = "detector ";
  constexpr std::string_view kSource = "source ";
  constexpr std::string_view kSymptom = "symptom ";
  Selector selector;
  selector.text = text;
  if (find_metric(text) != nullptr) {
    selector.metric = text;
    return selector;
  }
  if (text.starts_with(kDetector)) {
    selector.detector = text.substr(kDetector.size());
    return selector;
  }
  if (text.starts_with(kSource)) {
    selector.source = text.substr(kSource.size());
    return selector;
  }
  if (text.starts_with(kSymptom)) selector.symptom = symptom(text.substr(kSymptom.size()));
  if (selector.symptom) return selector;
  for (const Resource resource : kResources) {
    if (text == fmt::format("{} {}", to_name(resource), to_name(Symptom::kComputing))) {
      selector.resource = resource;
      selector.symptom = Symptom::kComputing;
      return selector;
    }
    for (const Role role : kRoles) {
      if (text != fmt::format("{} {}", to_name(resource), to_name(role))) continue;
      selector.resource = resource;
      selector.role = role;
      return selector;
    }
  }
  return fail(
      ErrorCode::kBadUse, where,
      fmt::format("'{}' names nothing that can be found; write a metric (await), a resource and role "
                  "(storage latency), a detector (detector bias), a witness (source metrics) or a symptom "
                  "(symptom lost)",
                  text));
}

/// A list of strings under `key`, each made into a value by parse(text, where) -> Result<Value>.
template <class Value, class Parse>
Result<std::vector<Value>> parse_list(const toml::table& rule, std::string_view key, const std::string& where,
                                      const Parse& parse) {
  std::vector<Value> values;
  const toml::node* node = rule.get(key);
  if (node == nullptr) return values;
  const auto no_list = [&](const toml::node& at) {
    return fail(ErrorCode::kBadUse, place(where, at.source()),
                fmt::format("'{}' must be a list of strings", key));
  };
  const toml::array* array = node->as_array();
  if (array == nullptr) return no_list(*node);
  for (const toml::node& element : *array) {
    const auto text = element.value<std::string>();
    if (!text) return no_list(element);
    Result<Value> value = parse(*text, place(where, element.source()));
    if (!value) return forward(value);
    values.push_back(std::move(*value));
  }
  return values;
}

/// The same of names that `find` knows.
template <class Value>
Result<std::vector<Value>> parse_names(const toml::table& rule, std::string_view key,
                                       const std::string& where,
                                       std::optional<Value> (*find)(std::string_view)) {
  return parse_list<Value>(
      rule, key, where, [&](const std::string& text, const std::string& at) -> Result<Value> {
        if (const auto value = find(text)) return *value;
        return fail(ErrorCode::kBadUse, at, fmt::format("'{}' is nothing that '{}' knows", text, key));
      });
}

std::optional<Pattern> pattern_of(std::string_view name) {
  const auto found = std::ranges::find(kPatternNames, name);
  if (found == kPatternNames.end()) return std::nullopt;
  return static_cast<Pattern>(found - kPatternNames.begin());
}

/// What a rule asks of the suspect as a whole.
Status parse_shape(const toml::table& table, const std::string& where, Rule& rule) {
  auto blames = parse_names<PartKind>(table, "blames", where, find_part_kind);
  if (!blames) return forward(blames);
  auto is = parse_names<Pattern>(table, "is", where, pattern_of);
  if (!is) return forward(is);
  auto is_not = parse_names<Pattern>(table, "is_not", where, pattern_of);
  if (!is_not) return forward(is_not);
  rule.blames = std::move(*blames);
  rule.is = std::move(*is);
  rule.is_not = std::move(*is_not);
  return {};
}

/// What a condition's `of` names: a fact that some detector declares. \param short_forms  `storage` and
/// `network` stand for what is moved over them.
const FactSpec* fact_under(const toml::table* table, bool short_forms) {
  const auto of = table == nullptr ? std::nullopt : (*table)["of"].value<std::string>();
  if (!of) return nullptr;
  if (short_forms && *of == "storage") return &kStorageMoved;
  if (short_forms && *of == "network") return &kNetworkMoved;
  return find_fact(*of);
}

std::string names_of_facts() {
  std::string names;
  for (const FactSpec* spec : known_facts()) names.append(names.empty() ? "" : ", ").append(spec->name);
  return names;
}

/// The table's only keys are `of` and those of the numbers, which are written where they are given.
Status parse_bounds(const toml::table& table, std::string_view condition, const std::string& where,
                    std::initializer_list<std::pair<std::string_view, double*>> numbers) {
  for (const auto& [key, node] : table) {
    if (key == "of") continue;
    const auto number = std::ranges::find(numbers, key.str(), &std::pair<std::string_view, double*>::first);
    if (number == numbers.end()) {
      return fail(ErrorCode::kBadUse, place(where, node.source()),
                  fmt::format("'{}' has no '{}'", condition, key.str()));
    }
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value < 0) {
      return fail(ErrorCode::kBadUse, place(where, node.source()),
                  fmt::format("'{}' must be a number that is not negative", key.str()));
    }
    *number->second = *value;
  }
  return {};
}

Result<std::optional<ExcessCondition>> parse_excess(const toml::table& rule, const std::string& where) {
  const toml::node* node = rule.get("excess");
  if (node == nullptr) return std::nullopt;
  const toml::table* table = node->as_table();
  ExcessCondition condition;
  condition.fact = fact_under(table, true);
  if (condition.fact == nullptr) {
    return fail(
        ErrorCode::kBadUse, place(where, node->source()),
        "'excess' must be a table such as { of = \"storage\", share = 0.05, spread = 2, least = 128 }");
  }
  Status bounds = parse_bounds(
      *table, "excess", where,
      {{"share", &condition.share}, {"spread", &condition.scatter_factor}, {"least", &condition.least}});
  if (!bounds) return forward(bounds);
  return condition;
}

Result<std::vector<FactCondition>> parse_facts(const toml::table& rule, const std::string& where) {
  std::vector<FactCondition> conditions;
  const toml::node* node = rule.get("facts");
  if (node == nullptr) return conditions;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    return fail(ErrorCode::kBadUse, place(where, node->source()),
                "'facts' must be a list of tables such as { of = \"pauses\", least = 3 }");
  }
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    FactCondition condition;
    condition.fact = fact_under(table, false);
    if (condition.fact == nullptr) {
      return fail(
          ErrorCode::kBadUse, place(where, element.source()),
          fmt::format("'of' names no fact that a detector declares; there are: {}", names_of_facts()));
    }
    Status bounds =
        parse_bounds(*table, "facts", where, {{"least", &condition.least}, {"most", &condition.most}});
    if (!bounds) return forward(bounds);
    conditions.push_back(condition);
  }
  return conditions;
}

Result<Rule> parse_rule(const toml::table& table, const std::string& where) {
  constexpr std::array<std::string_view, 13> kKeys{"name",   "cause", "resource", "why",    "check",
                                                   "any",    "all",   "none",     "excess", "facts",
                                                   "blames", "is",    "is_not"};
  for (const auto& [key, node] : table) {
    if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) {
      return fail(ErrorCode::kBadUse, place(where, node.source()),
                  fmt::format("a rule has no '{}'", key.str()));
    }
  }
  Rule rule;
  rule.name = table["name"].value_or(std::string{});
  rule.cause = table["cause"].value_or(std::string{});
  rule.resource = table["resource"].value_or(std::string{});
  rule.why = table["why"].value_or(std::string{});
  if (rule.name.empty() || rule.cause.empty()) {
    return fail(ErrorCode::kBadUse, place(where, table.source()), "a rule needs a name and a cause");
  }
  const auto as_written = [](const std::string& text, const std::string& /*at*/) -> Result<std::string> {
    return text;
  };
  auto check = parse_list<std::string>(table, "check", where, as_written);
  if (!check) return forward(check);
  rule.check = std::move(*check);
  auto any = parse_list<Selector>(table, "any", where, parse_selector);
  if (!any) return forward(any);
  auto all = parse_list<Selector>(table, "all", where, parse_selector);
  if (!all) return forward(all);
  auto none = parse_list<Selector>(table, "none", where, parse_selector);
  if (!none) return forward(none);
  auto excess = parse_excess(table, where);
  if (!excess) return forward(excess);
  rule.any = std::move(*any);
  rule.all = std::move(*all);
  rule.none = std::move(*none);
  rule.excess = *excess;
  auto facts = parse_facts(table, where);
  if (!facts) return forward(facts);
  rule.facts = std::move(*facts);
  if (Status shape = parse_shape(table, where, rule); !shape) return forward(shape);
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& where) {
  Result<toml::table> parsed = parse_toml(text, where);
  if (!parsed) return forward(parsed);
  const toml::node* node = parsed->get("rule");
  const toml::array* array = node == nullptr ? nullptr : node->as_array();
  if (array == nullptr || array->empty())
    return fail(ErrorCode::kBadUse, where, "there is no [[rule]] in it");
  std::vector<Rule> rules;
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (table == nullptr)
      return fail(ErrorCode::kBadUse, place(where, element.source()), "a rule must be a [[rule]]");
    auto rule = parse_rule(*table, where);
    if (!rule) return forward(rule);
    rules.push_back(std::move(*rule));
  }
  return rules;
}

namespace {

bool selects(const Selector& selector, const Finding& finding) {
  if (!selector.metric.empty()) return finding.evidence.metric == selector.metric;
  if (!selector.source.empty()) return finding.evidence.source == selector.source;
  if (!selector.detector.empty()) return finding.evidence.detector == selector.detector;
  if (selector.symptom) {
    return finding.symptom == *selector.symptom &&
           (!selector.resource || finding.resource == selector.resource);
  }
  return finding.resource == selector.resource && finding.role == selector.role;
}

bool was_found(const Selector& selector, const Suspect& suspect) {
  return std::ranges::any_of(suspect.findings,
                             [&](const Finding* finding) { return selects(selector, *finding); });
}

bool exceeds(const ExcessCondition& condition, const Suspect& suspect) {
  const Fact* fact = suspect.fact(*condition.fact);
  if (fact == nullptr) return false;
  const double bound =
      std::max({condition.share * fact->peers, condition.scatter_factor * fact->scatter, condition.least});
  return fact->own - fact->peers > bound;
}

bool lies_within(const FactCondition& condition, const Suspect& suspect) {
  const Fact* fact = suspect.fact(*condition.fact);
  return fact != nullptr && fact->own >= condition.least && fact->own <= condition.most;
}

bool has_shape(const Rule& rule, const Suspect& suspect) {
  const auto holds = [&](Pattern pattern) { return suspect.is.contains(pattern); };
  return (rule.blames.empty() || std::ranges::find(rule.blames, suspect.tier) != rule.blames.end()) &&
         std::ranges::all_of(rule.is, holds) && std::ranges::none_of(rule.is_not, holds);
}

bool holds(const Rule& rule, const Suspect& suspect) {
  const auto found = [&](const Selector& selector) { return was_found(selector, suspect); };
  return (rule.any.empty() || std::ranges::any_of(rule.any, found)) && std::ranges::all_of(rule.all, found) &&
         std::ranges::none_of(rule.none, found) && (!rule.excess || exceeds(*rule.excess, suspect)) &&
         std::ranges::all_of(rule.facts,
                             [&](const FactCondition& each) { return lies_within(each, suspect); }) &&
         has_shape(rule, suspect);
}

void fill_in(std::string& text, std::string_view name, std::string_view value) {
  const std::size_t at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), value);
}

std::string excess_text(const Rule& rule, const Suspect& suspect) {
  const Fact* fact = rule.excess ? suspect.fact(*rule.excess->fact) : nullptr;
  if (fact == nullptr || std::isnan(fact->own - fact->peers)) return "data";
  const double more = fact->own - fact->peers;
  const bool sectors = fact->spec->unit == kStorageMoved.unit;
  if (!sectors && fact->spec->unit != kNetworkMoved.unit)
    return fmt::format("{:.3g} {}", more, fact->spec->unit);
  const double bytes = more * (sectors ? 512 : 1);
  return bytes >= 1e6 ? fmt::format("{:.1f} MB/s", bytes / 1e6) : fmt::format("{:.0f} kB/s", bytes / 1e3);
}

}  // namespace

std::string_view to_name(Pattern pattern) { return kPatternNames[static_cast<std::size_t>(pattern)]; }

const Fact* Suspect::fact(const FactSpec& spec) const {
  const Finding* strongest = nullptr;
  for (const Finding* finding : findings) {
    if (finding->fact(spec) == nullptr) continue;
    if (strongest == nullptr || finding->strength > strongest->strength) strongest = finding;
  }
  return strongest == nullptr ? nullptr : strongest->fact(spec);
}

const Rule* first_match(std::span<const Rule> rules, const Suspect& suspect) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) { return holds(rule, suspect); });
  return found == rules.end() ? nullptr : &*found;
}

std::string explain(const Rule& rule, const Suspect& suspect, std::string_view component) {
  std::vector<std::string_view> metrics;
  for (const Finding* finding : suspect.findings) {
    const std::string& metric =
        finding->evidence.metric.empty() ? finding->evidence.source : finding->evidence.metric;
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  }
  std::string text = rule.why;
  fill_in(text, "{component}", component);
  fill_in(text, "{excess}", excess_text(rule, suspect));
  fill_in(text, "{metrics}", fmt::format("{}", fmt::join(metrics, ", ")));
  return text;
}

}  // namespace laggard::explain
