#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/incident.h"
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

/// What a suspect's trouble looks like as a whole; docs/methods/cause.md says it in words.
enum class Fact : std::uint8_t {
  kLost,            ///< Most of its components do nothing while their peers work.
  kGone,            ///< So, and nothing at all is recorded of them: their devices are not there ...
  kUnused,          ///< ... or they are there, with zeros.
  kWhole,           ///< Every server through which the blamed part runs has lost something.
  kSlowBefore,      ///< Several of its components were slow before others were lost.
  kTakenOver,       ///< Others have load in place of what is lost.
  kUncalled,        ///< It works where its peers, which nobody should use now, do nothing.
  kComesAndGoes,    ///< As slow as can be and as fast as its peers in turn.
  kWithNeighbours,  ///< Others of its array became slower with it, though less.
};
/// lost, gone, unused, whole, slow before, taken over, uncalled, comes and goes, with neighbours
[[nodiscard]] std::string_view to_name(Fact fact);

/// What is known about one suspect: the input of the rules.
struct Facts {
  std::vector<Divergence> divergences;
  std::optional<Excess> storage;
  std::optional<Excess> network;
  BlameKind tier = BlameKind::kServer;  ///< Of the part that is blamed.
  std::set<Fact> is = {};
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
  std::vector<BlameKind> blames;  ///< The blamed part is of one of these tiers (when not empty).
  std::vector<Fact> is;           ///< All of these hold ...
  std::vector<Fact> is_not;       ///< ... and none of these.
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
