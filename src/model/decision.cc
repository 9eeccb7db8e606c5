#include "model/decision.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 4> kDecisionNames{"repaired", "excluded", "included", "noted"};

/// By time; of those from the same moment the one decided last is last.
std::vector<Intervention> interventions_on(const Component& component, std::span<const Decision> decisions) {
  std::vector<Intervention> events;
  for (const Decision& decision : decisions) {
    if (decision.kind == DecisionKind::kNoted || !is_named(component, decision.subject)) continue;
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

bool is_named(const Component& component, std::string_view subject) {
  return component.name == subject ||
         std::ranges::any_of(component.parts, [&](const Blame& part) { return part.name == subject; });
}

bool excluded_throughout(const Component& component, std::span<const Decision> decisions, WallTime from,
                         WallTime to) {
  const std::vector<Intervention> events = interventions_on(component, decisions);
  return excluded_at(events, from) && std::ranges::none_of(events, [&](const Intervention& event) {
           return event.kind == DecisionKind::kIncluded && event.from > from && event.from <= to;
         });
}

std::vector<std::size_t> components_of(const Grouping& grouping, std::string_view subject) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    if (is_named(grouping.components[c], subject)) found.push_back(c);
  }
  return found;
}

Interventions::Interventions(const Grouping& grouping, std::span<const Decision> decisions) {
  const auto acts = [](const Decision& decision) { return decision.kind != DecisionKind::kNoted; };
  if (std::ranges::none_of(decisions, acts)) return;
  for (const Component& component : grouping.components) {
    events_.push_back(interventions_on(component, decisions));
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
