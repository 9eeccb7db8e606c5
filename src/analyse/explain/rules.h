#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/metric.h"

namespace laggard::analyse {

/// One thing that diverged, as rules see it.
struct Divergence {
  const MetricSpec* metric = nullptr;
  std::string detector;  ///< `cdf`, `bias`, `absent`, …
  bool above = true;     ///< The component is above its peers.
};

/// How much more a component moves over one resource than its peers, over the span of its strongest
/// divergence.
struct Excess {
  double own =
      0;  ///< Mean of the component: sectors/s for storage, bytes/s for the network, both directions.
  double peers = 0;  ///< Median over its peers.
  double spread =
      0;  ///< The largest deviation from that median among the peers, without the component itself.
};

/// What is known about one suspect: the input of the rules.
struct Facts {
  std::vector<Divergence> divergences;
  std::optional<Excess> storage;
  std::optional<Excess> network;
};

/// Names a set of divergences: a metric (`await`), a role of a resource (`storage latency`) or a detector
/// (`detector bias`).
struct Selector {
  std::string text;  ///< As written.
  const MetricSpec* metric = nullptr;
  std::optional<Resource> resource;
  std::optional<Role> role;
  std::string detector;
};

/// own - peers must exceed max(share x peers, spread_factor x spread, least).
struct ExcessCondition {
  Resource resource = Resource::kStorage;
  double share = 0;
  double spread_factor = 0;
  double least = 0;
};

/// One line of the checklist (F §10.2): conditions, and what follows when all of them hold.
struct Rule {
  std::string name;
  std::string cause;
  std::string resource;
  std::string why;  ///< A sentence for people; `{component}`, `{excess}` and `{metrics}` are filled in.
  std::vector<Selector> any;   ///< At least one of these diverges (when not empty).
  std::vector<Selector> all;   ///< Every one of these diverges.
  std::vector<Selector> none;  ///< None of these diverges.
  std::optional<ExcessCondition> excess;
};

/// Reads a rules file (docs/methods/cause.md has the language). Errors name file and line.
[[nodiscard]] Result<std::vector<Rule>> parse_rules(std::string_view toml, const std::string& where);

/// The first rule whose conditions all hold, or nothing. F halts there too; ours differ in the conditions.
[[nodiscard]] const Rule* first_match(std::span<const Rule> rules, const Facts& facts);

/// The rule's sentence about `component`.
[[nodiscard]] std::string explain(const Rule& rule, const Facts& facts, std::string_view component);

/// The rules that laggard ships: `default_rules` (measured on real faults, docs/methods/cause.md) and
/// `paper_rules`, the checklist of F §10.2 with the network step of §12, to the letter.
[[nodiscard]] std::string_view default_rules();
[[nodiscard]] std::string_view paper_rules();

}  // namespace laggard::analyse
