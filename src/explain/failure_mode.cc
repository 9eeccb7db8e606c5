#include "explain/failure_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace laggard::explain {

namespace {

bool have_one(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::ranges::any_of(
      some, [&](const std::string& each) { return std::ranges::find(others, each) != others.end(); });
}

/// Whether one was going on when the other began.
bool precedes(const Incident& one, const Incident& other) {
  return one.since < other.since && one.until.value_or(other.since) >= other.since;
}

/// It is broken, and something tells of that which no load explains.
bool is_known_broken(const Incident& incident) {
  const auto says_so = [](const Evidence& each) { return each.mode == FailureMode::kReliability; };
  const bool waits_alone = std::ranges::any_of(incident.evidence, says_so) &&
                           std::ranges::none_of(incident.evidence, [&](const Evidence& each) {
                             return says_so(each) && !each.waits;
                           });
  return incident.mode == FailureMode::kReliability && !waits_alone;
}

}  // namespace

std::optional<FailureMode> mode_of(std::span<const Evidence> answers) {
  std::optional<FailureMode> mode;
  for (const Evidence& each : answers) {
    if (each.mode == FailureMode::kReliability && !each.waits) return FailureMode::kReliability;
    if (each.mode && mode != FailureMode::kOverload) mode = each.mode;
  }
  return mode;
}

void keep_first_causes(std::span<Incident> incidents, const Grouping& grouping) {
  for (Incident& incident : incidents) {
    if (incident.mode != FailureMode::kOverload) continue;
    const std::vector<std::string> hosts = grouping.hosts_of(incident.blame);
    const auto first = std::ranges::find_if(incidents, [&](const Incident& other) {
      return is_known_broken(other) && precedes(other, incident) &&
             have_one(grouping.hosts_of(other.blame), hosts);
    });
    if (first == incidents.end()) continue;
    Evidence evidence;
    evidence.source = "logs";
    evidence.component = incident.blame.name;
    evidence.part = incident.blame;
    evidence.detector = "first-cause";
    evidence.mode = FailureMode::kReliability;
    evidence.note =
        fmt::format("its load follows what is broken at {}, incident {}", first->blame.name, first->id);
    incident.evidence.push_back(std::move(evidence));
    incident.mode = FailureMode::kReliability;
  }
}

}  // namespace laggard::explain
