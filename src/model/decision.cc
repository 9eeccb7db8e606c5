#include "model/decision.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 5> kDecisionNames{"repaired", "excluded", "included", "noted",
                                                         "undone"};

bool acts(const Decision& decision) {
  return decision.kind != DecisionKind::kNoted && decision.kind != DecisionKind::kUndone;
}

/// By time; of those from the same moment the one decided last is last.
std::vector<Intervention> interventions_on(const Grouping& grouping, const Component& component,
                                           std::span<const Decision> decisions) {
  std::vector<Intervention> events;
  for (const Decision& decision : decisions) {
    if (!acts(decision) || !is_named(grouping, component, decision)) continue;
    events.push_back({decision.from.value_or(WallTime::min()), decision.kind});
  }
  std::ranges::stable_sort(events, {}, &Intervention::from);
  return events;
}

bool excluded_at(std::span<const Intervention> events, WallTime t) {
  bool excluded = false;
  for (const Intervention& event : events) {
    if (event.from > t) break;
    if (event.kind != DecisionKind::kRepaired) excluded = event.kind == DecisionKind::kExcluded;
  }
  return excluded;
}

}  // namespace

std::string_view to_name(DecisionKind kind) { return kDecisionNames[static_cast<std::size_t>(kind)]; }

std::optional<DecisionKind> decision_kind(std::string_view name) {
  const auto found = std::ranges::find(kDecisionNames, name);
  if (found == kDecisionNames.end()) return std::nullopt;
  return static_cast<DecisionKind>(found - kDecisionNames.begin());
}

bool is_named(const Grouping& grouping, const Component& component, std::string_view subject) {
  return component.name == subject ||
         std::ranges::any_of(grouping.parts.needs(component.part),
                             [&](PartId part) { return grouping.parts[part].name == subject; });
}

bool is_named(const Grouping& grouping, const Component& component, const Decision& decision) {
  if (!decision.about) return is_named(grouping, component, decision.subject);
  return std::ranges::find(decision.about->components, component.name) != decision.about->components.end();
}

bool excluded_throughout(const Grouping& grouping, const Component& component,
                         std::span<const Decision> decisions, TimeSpan span) {
  const std::vector<Intervention> events = interventions_on(grouping, component, decisions);
  return excluded_at(events, span.from) && std::ranges::none_of(events, [&](const Intervention& event) {
           return event.kind == DecisionKind::kIncluded && event.from > span.from && event.from <= span.to;
         });
}

namespace {

template <class Subject>
std::vector<std::size_t> named_components(const Grouping& grouping, const Subject& subject) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    if (is_named(grouping, grouping.components[c], subject)) found.push_back(c);
  }
  return found;
}

}  // namespace

std::vector<std::size_t> components_of(const Grouping& grouping, std::string_view subject) {
  return named_components(grouping, subject);
}

std::vector<std::size_t> components_of(const Grouping& grouping, const Decision& decision) {
  return named_components(grouping, decision);
}

bool is_undone(const Decision& decision, std::span<const Decision> decisions) {
  return std::ranges::any_of(decisions, [&](const Decision& other) {
    return other.kind == DecisionKind::kUndone && other.undoes == decision.made &&
           other.subject == decision.subject;
  });
}

std::vector<Decision> standing(std::span<const Decision> decisions) {
  std::vector<Decision> left;
  std::ranges::copy_if(decisions, std::back_inserter(left), [&](const Decision& decision) {
    return decision.kind != DecisionKind::kUndone && !is_undone(decision, decisions);
  });
  return left;
}

std::vector<KnownIncident> known_incidents(const Grouping& grouping, std::span<const Decision> decisions) {
  std::vector<KnownIncident> known;
  for (const Decision& decision : decisions) {
    if (!decision.about) continue;
    const auto same = std::ranges::find(known, decision.about->id, &KnownIncident::id);
    if (same == known.end()) {
      known.push_back(*decision.about);
    } else {
      *same = *decision.about;
    }
  }
  if (known.empty()) return known;
  for (const Decision& repair : standing(decisions)) {
    if (repair.kind != DecisionKind::kRepaired || !repair.from) continue;
    std::set<std::string_view> repaired;
    for (const std::size_t c : components_of(grouping, repair)) repaired.insert(grouping.components[c].name);
    for (KnownIncident& incident : known) {
      const bool meant = repair.subject == incident.id || *repair.from > incident.since;
      const bool its_own = std::ranges::any_of(
          incident.components, [&](const std::string& name) { return repaired.contains(name); });
      if (meant && its_own) incident.until = std::min(incident.until, *repair.from);
    }
  }
  return known;
}

Interventions::Interventions(const Grouping& grouping, std::span<const Decision> decisions) {
  if (std::ranges::none_of(decisions, acts)) return;
  for (const Component& component : grouping.components) {
    events_.push_back(interventions_on(grouping, component, decisions));
  }
}

bool Interventions::excluded(std::size_t component, WallTime t) const {
  return !events_.empty() && excluded_at(events_[component], t);
}

bool Interventions::repaired(std::size_t component, WallTime after, WallTime until) const {
  if (events_.empty()) return false;
  return std::ranges::any_of(events_[component], [&](const Intervention& event) {
    return event.kind == DecisionKind::kRepaired && event.from > after && event.from <= until;
  });
}

}  // namespace laggard
