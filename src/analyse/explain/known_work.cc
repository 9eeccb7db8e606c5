#include "analyse/explain/known_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/decision.h"

namespace laggard::analyse {

namespace {

/// Whether the work is done on every component of the incident.
bool concerns(const ExpectedWork& work, const Incident& incident, const Grouping& grouping) {
  if (work.where.empty()) return true;
  return std::ranges::all_of(incident.components, [&](const std::string& name) {
    const auto component = std::ranges::find(grouping.components, name, &Component::name);
    return component != grouping.components.end() &&
           std::ranges::any_of(work.where,
                               [&](const std::string& place) { return is_named(*component, place); });
  });
}

std::optional<TimeSpan> occurrence(const ExpectedWork& work, const Incident& incident, WallTime end,
                                   Duration slack) {
  // The first window may hold samples from before the work began.
  const auto span = work.at(incident.since + slack);
  const WallTime until = incident.until.value_or(end);
  if (!span || incident.since + slack < span->from || until > span->to + slack) return std::nullopt;
  return span;
}

}  // namespace

void explain_expected_work(Diagnosis& diagnosis, const Grouping& grouping,
                           std::span<const ExpectedWork> expected, Duration slack) {
  for (Incident& incident : diagnosis.incidents) {
    const bool open = incident.status == IncidentStatus::kOpen || incident.status == IncidentStatus::kClosed;
    if (!open) continue;
    for (const ExpectedWork& work : expected) {
      const auto span = occurrence(work, incident, diagnosis.to, slack);
      if (!span || !concerns(work, incident, grouping)) continue;
      incident.status = IncidentStatus::kExplained;
      incident.why += fmt::format("; expected: {} from {} to {}", work.what, to_iso8601(span->from),
                                  to_iso8601(span->to));
      break;
    }
  }
}

}  // namespace laggard::analyse
