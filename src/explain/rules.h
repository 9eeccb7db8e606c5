#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/finding.h"

namespace laggard::explain {

/// What a suspect's trouble looks like as a whole; docs/methods/cause.md says it in words.
enum class Pattern : std::uint8_t {
  kLost,            ///< Most of its components do nothing while their peers work.
  kGone,            ///< So, and nothing at all is recorded of them: their devices are not there ...
  kUnused,          ///< ... or they are there, with zeros.
  kWhole,           ///< Every server through which the blamed part runs has lost something.
  kSlowBefore,      ///< Several of its components were slow before others were lost.
  kFailover,        ///< Others have load in place of what is lost.
  kStandbyUsed,     ///< It works where its peers, which nobody should use now, do nothing.
  kComesAndGoes,    ///< As slow as can be and as fast as its peers in turn.
  kWithNeighbours,  ///< Others of its array became slower with it, though less.
  kBusyForAMoment,  ///< It moves another amount than its peers, but hardly for as long as it is slow.
};
/// lost, gone, unused, whole, slow before, failover, standby used, comes and goes, with neighbours,
/// busy for a moment
[[nodiscard]] std::string_view to_name(Pattern pattern);

/// What is known about one suspect: the input of the rules.
struct Suspect {
  std::vector<const Finding*> findings;
  PartKind tier = PartKind::kServer;  ///< Of the part that is blamed.
  std::set<Pattern> is = {};

  /// Of the strongest finding that has it; null when none has.
  [[nodiscard]] const Fact* fact(const FactSpec& spec) const;
};

/// Names a set of findings: a metric (`await`), a role of a resource (`storage latency`), a detector
/// (`detector bias`), a witness (`source logs`) or a symptom (`symptom lost`).
struct Selector {
  std::string text;  ///< As written.
  std::string metric;
  std::string source;
  std::string detector;
  std::optional<Symptom> symptom;
  std::optional<Resource> resource;
  std::optional<Role> role;
};

/// own - peers of a fact must exceed max(share x peers, scatter_factor x scatter, least).
struct ExcessCondition {
  const FactSpec* fact = nullptr;
  double share = 0;
  double scatter_factor = 0;
  double least = 0;
};

/// A fact's own number must lie in [least, most].
struct FactCondition {
  const FactSpec* fact = nullptr;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// One line of the checklist (F §10.2): conditions, and what follows when all of them hold.
struct Rule {
  std::string name;
  std::string cause;
  std::string resource;
  std::string why;  ///< A sentence for people; `{component}`, `{excess}` and `{metrics}` are filled in.
  std::vector<std::string> check;  ///< Commands that show more; checks.h fills in `{host}` and `{device}`.
  std::vector<Selector> any;       ///< At least one of these was found (when not empty).
  std::vector<Selector> all;       ///< Every one of these was found.
  std::vector<Selector> none;      ///< None of these was found.
  std::optional<ExcessCondition> excess;
  std::vector<FactCondition> facts;  ///< Every one of these holds.
  std::vector<PartKind> blames;      ///< The blamed part is of one of these tiers (when not empty).
  std::vector<Pattern> is;           ///< All of these hold ...
  std::vector<Pattern> is_not;       ///< ... and none of these.
};

/// Reads a rules file (docs/methods/cause.md has the language). Errors name file and line.
[[nodiscard]] Result<std::vector<Rule>> parse_rules(std::string_view toml, const std::string& where);

/// The first rule whose conditions all hold, or nothing. F halts there too; ours differ in the conditions.
[[nodiscard]] const Rule* first_match(std::span<const Rule> rules, const Suspect& suspect);

/// The rule's sentence about `component`.
[[nodiscard]] std::string explain(const Rule& rule, const Suspect& suspect, std::string_view component);

/// The rules that laggard ships: `default_rules` (measured on real faults, docs/methods/cause.md) and
/// `paper_rules`, the checklist of F §10.2 with the network step of §12, to the letter.
[[nodiscard]] std::string_view default_rules();
[[nodiscard]] std::string_view paper_rules();

}  // namespace laggard::explain
