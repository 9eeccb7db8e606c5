#include "engine/examiners.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace laggard::engine {

namespace {

/// The parts that an incident's findings are about.
std::vector<Part> parts_of(const Grouping& grouping, const Incident& incident) {
  std::set<Part> parts;
  std::set<std::string_view> components;
  for (const Evidence& evidence : incident.evidence) {
    if (evidence.part) {
      parts.insert(*evidence.part);
    } else {
      components.insert(evidence.component);
    }
  }
  for (const Component& component : grouping.components) {
    if (components.contains(component.name)) parts.insert(grouping.parts[component.part]);
  }
  return {parts.begin(), parts.end()};
}

}  // namespace

Suspicion Examiners::suspicion(const Incident& incident, std::span<const Incident> all, WallTime at) const {
  Suspicion suspicion;
  suspicion.suspect = incident.blame;
  suspicion.parts = parts_of(grouping_, incident);
  suspicion.interval = {std::max(incident.since, at - kLookBack), at};
  std::set<std::string_view> accused;
  for (const Incident& each : all) accused.insert(each.components.begin(), each.components.end());
  const auto add_healthy = [&](const std::string& name, const Part& part) {
    if (suspicion.healthy.size() < kMostHealthy && !accused.contains(name) &&
        std::ranges::find(suspicion.healthy, part) == suspicion.healthy.end()) {
      suspicion.healthy.push_back(part);
    }
  };
  const std::set<Part> own(suspicion.parts.begin(), suspicion.parts.end());
  for (const PeerGroup& group : grouping_.groups) {
    const auto is_own = [&](ComponentId id) { return own.contains(grouping_.parts[grouping_[id].part]); };
    if (std::ranges::none_of(group.members, is_own)) continue;
    for (const ComponentId id : group.members) {
      add_healthy(grouping_[id].name, grouping_.parts[grouping_[id].part]);
    }
  }
  for (std::uint32_t p = 0; p < grouping_.parts.size(); ++p) {
    const Part& part = grouping_.parts[PartId{p}];
    const bool is_peer = std::ranges::any_of(own, [&](const Part& each) { return each.kind == part.kind; });
    if (is_peer && !own.contains(part)) add_healthy(part.name, part);
  }
  return suspicion;
}

void Examiners::look(std::span<const Incident> incidents, WallTime at) {
  std::map<std::string, std::vector<Evidence>> answers;
  for (const Incident& incident : incidents) {
    const auto known = answers_.find(incident.id);
    answers.emplace(incident.id, known != answers_.end()
                                     ? std::move(known->second)
                                     : detectors_.examine(suspicion(incident, incidents, at)));
  }
  answers_ = std::move(answers);
}

void Examiners::add_answers(std::vector<Incident>& incidents) const {
  for (Incident& incident : incidents) {
    const auto answers = answers_.find(incident.id);
    if (answers == answers_.end()) continue;
    incident.evidence.insert(incident.evidence.end(), answers->second.begin(), answers->second.end());
  }
}

}  // namespace laggard::engine
