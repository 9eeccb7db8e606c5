#include "report/change_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/utf8.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kNamedComponents = 3;

/// What it came to: an incident that is over or known already is not just confirmed or suspected.
std::string standing(const Incident& incident) {
  if (incident.status == IncidentStatus::kOpen) return std::string(to_name(incident.state));
  return fmt::format("{}, {}", to_name(incident.state), to_name(incident.status));
}

std::string some_components(const std::vector<std::string>& components) {
  std::string out;
  const std::size_t shown = std::min(components.size(), kNamedComponents);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "; " : ", ") + components[i];
  if (shown < components.size()) out += fmt::format(" and {} more", components.size() - shown);
  return out;
}

}  // namespace

std::string change_line(const Change& change) {
  const Incident& incident = change.incident;
  const std::string into = change.kind == ChangeKind::kMerged ? ", now part of " + change.into : "";
  return printable(fmt::format("{} {:<9} #{} {}: {}, {}{} (id {}{})", to_iso8601(change.at),
                               to_name(change.kind), change.number, blamed(incident.blame), cause(incident),
                               standing(incident), some_components(incident.components), incident.id, into));
}

}  // namespace laggard::report
