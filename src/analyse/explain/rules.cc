#include "analyse/explain/rules.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>

namespace laggard::analyse {

namespace {

/// In the order of Fact.
constexpr std::array<std::string_view, 9> kFactNames{"lost",     "gone",           "unused",
                                                     "whole",    "slow before",    "taken over",
                                                     "uncalled", "comes and goes", "with neighbours"};

std::string place(const std::string& where, const toml::source_region& source) {
  return fmt::format("{}:{}", where, source.begin.line);
}

Result<Selector> parse_selector(std::string_view text, const std::string& where) {
  Selector selector;
  selector.text = text;
  if (const MetricSpec* metric = find_metric(text)) {
    selector.metric = metric;
    return selector;
  }
  constexpr std::string_view kDetector = "detector ";
  if (text.starts_with(kDetector)) {
    selector.detector = text.substr(kDetector.size());
    return selector;
  }
  for (const Resource resource : {Resource::kStorage, Resource::kNetwork}) {
    for (const Role role : {Role::kThroughput, Role::kLatency, Role::kCongestion, Role::kRetransmission}) {
      if (text != fmt::format("{} {}", to_name(resource), to_name(role))) continue;
      selector.resource = resource;
      selector.role = role;
      return selector;
    }
  }
  return fail(ErrorCode::kBadUse, where,
              fmt::format("'{}' names nothing that can diverge; write a metric (await), a resource and role "
                          "(storage latency) or a detector (detector bias)",
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

std::optional<Fact> fact_of(std::string_view name) {
  const auto found = std::ranges::find(kFactNames, name);
  if (found == kFactNames.end()) return std::nullopt;
  return static_cast<Fact>(found - kFactNames.begin());
}

/// What a rule asks of the suspect as a whole.
Status parse_shape(const toml::table& table, const std::string& where, Rule& rule) {
  auto blames = parse_names<BlameKind>(table, "blames", where, blame_kind);
  if (!blames) return forward(blames);
  auto is = parse_names<Fact>(table, "is", where, fact_of);
  if (!is) return forward(is);
  auto is_not = parse_names<Fact>(table, "is_not", where, fact_of);
  if (!is_not) return forward(is_not);
  rule.blames = std::move(*blames);
  rule.is = std::move(*is);
  rule.is_not = std::move(*is_not);
  return {};
}

Result<std::optional<ExcessCondition>> parse_excess(const toml::table& rule, const std::string& where) {
  const toml::node* node = rule.get("excess");
  if (node == nullptr) return std::nullopt;
  const std::string at = place(where, node->source());
  const toml::table* table = node->as_table();
  const auto of = table == nullptr ? std::nullopt : (*table)["of"].value<std::string>();
  if (!of || (*of != "storage" && *of != "network")) {
    return fail(
        ErrorCode::kBadUse, at,
        "'excess' must be a table such as { of = \"storage\", share = 0.05, spread = 2, least = 128 }");
  }
  ExcessCondition condition;
  condition.resource = *of == "storage" ? Resource::kStorage : Resource::kNetwork;
  condition.share = (*table)["share"].value_or(0.0);
  condition.spread_factor = (*table)["spread"].value_or(0.0);
  condition.least = (*table)["least"].value_or(0.0);
  return condition;
}

Result<Rule> parse_rule(const toml::table& table, const std::string& where) {
  constexpr std::array<std::string_view, 11> kKeys{"name", "cause",  "resource", "why", "any",   "all",
                                                   "none", "excess", "blames",   "is",  "is_not"};
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
  if (Status shape = parse_shape(table, where, rule); !shape) return forward(shape);
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& where) {
  toml::parse_result parsed;
  // toml++ reports by exception; it stops here.
  try {
    parsed = toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kBadUse, place(where, error.source()), std::string(error.description()));
  }
  const toml::array* array = parsed["rule"].as_array();
  if (array == nullptr || array->empty())
    return fail(ErrorCode::kBadUse, where, "there is no [[rule]] in it");
  std::vector<Rule> rules;
  for (const toml::node& node : *array) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      return fail(ErrorCode::kBadUse, place(where, node.source()), "a rule must be a [[rule]]");
    auto rule = parse_rule(*table, where);
    if (!rule) return forward(rule);
    rules.push_back(std::move(*rule));
  }
  return rules;
}

namespace {

bool selects(const Selector& selector, const Divergence& divergence) {
  if (selector.metric != nullptr) return divergence.metric == selector.metric;
  if (!selector.detector.empty()) return divergence.detector == selector.detector;
  return divergence.metric->resource == selector.resource && divergence.metric->role == selector.role;
}

bool diverges(const Selector& selector, const Facts& facts) {
  return std::any_of(facts.divergences.begin(), facts.divergences.end(),
                     [&](const Divergence& divergence) { return selects(selector, divergence); });
}

const std::optional<Excess>& excess_of(const Facts& facts, Resource resource) {
  return resource == Resource::kStorage ? facts.storage : facts.network;
}

bool exceeds(const ExcessCondition& condition, const Facts& facts) {
  const auto& excess = excess_of(facts, condition.resource);
  if (!excess) return false;
  const double bound =
      std::max({condition.share * excess->peers, condition.spread_factor * excess->spread, condition.least});
  return excess->own - excess->peers > bound;
}

bool has_shape(const Rule& rule, const Facts& facts) {
  const auto holds = [&](Fact fact) { return facts.is.contains(fact); };
  return (rule.blames.empty() || std::ranges::find(rule.blames, facts.tier) != rule.blames.end()) &&
         std::ranges::all_of(rule.is, holds) && std::ranges::none_of(rule.is_not, holds);
}

bool holds(const Rule& rule, const Facts& facts) {
  const auto found = [&](const Selector& selector) { return diverges(selector, facts); };
  return (rule.any.empty() || std::any_of(rule.any.begin(), rule.any.end(), found)) &&
         std::all_of(rule.all.begin(), rule.all.end(), found) &&
         std::none_of(rule.none.begin(), rule.none.end(), found) &&
         (!rule.excess || exceeds(*rule.excess, facts)) && has_shape(rule, facts);
}

void fill_in(std::string& text, std::string_view name, std::string_view value) {
  const std::size_t at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), value);
}

std::string excess_text(const Rule& rule, const Facts& facts) {
  if (!rule.excess) return "data";
  const auto& excess = excess_of(facts, rule.excess->resource);
  if (!excess) return "data";
  const double bytes_per_unit = rule.excess->resource == Resource::kStorage ? 512 : 1;
  const double more = (excess->own - excess->peers) * bytes_per_unit;
  return more >= 1e6 ? fmt::format("{:.1f} MB/s", more / 1e6) : fmt::format("{:.0f} kB/s", more / 1e3);
}

}  // namespace

std::string_view to_name(Fact fact) { return kFactNames[static_cast<std::size_t>(fact)]; }

const Rule* first_match(std::span<const Rule> rules, const Facts& facts) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return holds(rule, facts); });
  return found == rules.end() ? nullptr : &*found;
}

std::string explain(const Rule& rule, const Facts& facts, std::string_view component) {
  std::vector<std::string_view> metrics;
  for (const Divergence& divergence : facts.divergences) {
    if (std::find(metrics.begin(), metrics.end(), divergence.metric->name) == metrics.end()) {
      metrics.push_back(divergence.metric->name);
    }
  }
  std::string text = rule.why;
  fill_in(text, "{component}", component);
  fill_in(text, "{excess}", excess_text(rule, facts));
  fill_in(text, "{metrics}", fmt::format("{}", fmt::join(metrics, ", ")));
  return text;
}

}  // namespace laggard::analyse
