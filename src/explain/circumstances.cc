#include "explain/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/decision.h"

namespace laggard::explain {

namespace {

/// Whether the work is done on the component; null for one that is not known.
bool concerns(const Grouping& grouping, const ExpectedWork& work, const Component* component) {
  if (work.where.empty()) return true;
  return component != nullptr && std::ranges::any_of(work.where, [&](const std::string& place) {
           return is_named(grouping, *component, place);
         });
}

const Component* component_of(const Grouping& grouping, const std::string& name) {
  const auto component = std::ranges::find(grouping.components, name, &Component::name);
  return component == grouping.components.end() ? nullptr : &*component;
}

std::optional<TimeSpan> occurrence(const ExpectedWork& work, const Incident& incident, Duration slack) {
  // The first window may hold samples from before the work began.
  const auto span = work.at(incident.since + slack);
  if (!span || incident.since + slack < span->from || incident.seen_until > span->to + work.unseen + slack)
    return std::nullopt;
  return span;
}

/// Work that goes on while the incident does, and when.
struct Going {
  const ExpectedWork* work = nullptr;
  TimeSpan span;
  bool named = false;
};

/// The first work for each of the components, each once and in the order in which it is known; nothing when a
/// component has none.
std::vector<const Going*> explanations(std::vector<Going>& going, const Incident& incident,
                                       const Grouping& grouping) {
  for (const std::string& name : incident.components) {
    const Component* component = component_of(grouping, name);
    const auto found = std::ranges::find_if(
        going, [&](const Going& each) { return concerns(grouping, *each.work, component); });
    if (found == going.end()) return {};
    found->named = true;
  }
  std::vector<const Going*> named;
  for (const Going& each : going) {
    if (each.named) named.push_back(&each);
  }
  return named;
}

bool overlap(const ClockSkew& skew, const Incident& incident, WallTime end) {
  return skew.from < incident.until.value_or(end) && incident.since < skew.to;
}

}  // namespace

void explain_expected_work(Diagnosis& diagnosis, const Grouping& grouping,
                           std::span<const ExpectedWork> expected, Duration slack) {
  for (Incident& incident : diagnosis.incidents) {
    const bool open = incident.status == IncidentStatus::kOpen || incident.status == IncidentStatus::kClosed;
    if (!open) continue;
    std::vector<Going> going;
    for (const ExpectedWork& work : expected) {
      if (const auto span = occurrence(work, incident, slack)) going.push_back({&work, *span, false});
    }
    std::string_view before = "; expected: ";
    for (const Going* each : explanations(going, incident, grouping)) {
      incident.status = IncidentStatus::kExplained;
      incident.why += fmt::format("{}{} from {} to {}", before, each->work->what, to_iso8601(each->span.from),
                                  to_iso8601(each->span.to));
      before = ", ";
    }
  }
}

void mark_skewed_incidents(Diagnosis& diagnosis, const Grouping& grouping) {
  const std::vector<ClockSkew>& skewed = diagnosis.coverage.clocks.skewed;
  if (skewed.empty()) return;
  std::map<std::string_view, std::string_view> host_of;
  for (const Component& component : grouping.components) host_of.emplace(component.name, component.host);
  for (Incident& incident : diagnosis.incidents) {
    std::set<std::string_view> hosts;
    for (const std::string& name : incident.components) {
      const auto host = host_of.find(name);
      if (host != host_of.end()) hosts.insert(host->second);
    }
    for (const ClockSkew& skew : skewed) {
      if (!hosts.contains(skew.host) || !overlap(skew, incident, diagnosis.to)) continue;
      incident.why +=
          fmt::format("; mind that the clock of {} is {} its peers'", skew.host, how_far_off(skew));
    }
  }
}

}  // namespace laggard::explain
