#include "report/textfile.h"

#include <fmt/format.h>

#include "base/terminal_text.h"

namespace laggard::report {

namespace {

/// A label's value: `\`, `"` and line feeds are escaped; what is no UTF-8 becomes U+FFFD.
std::string escaped_label(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const CodePoint point = first_code_point(value);
    if (!point.valid) {
      out += "\xEF\xBF\xBD";
    } else if (point.value == '\n') {
      out += "\\n";
    } else {
      if (point.value == '"' || point.value == '\\') out += '\\';
      out += value.substr(0, point.bytes);
    }
    value.remove_prefix(point.bytes);
  }
  return out;
}

std::string family(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

std::string open_incidents(std::span<const Incident> open) {
  std::string out = family("laggard_incident_open", "gauge", "Incidents that are open, 1 each.");
  for (const Incident& incident : open) {
    out += fmt::format(
        "laggard_incident_open{{id=\"{}\",kind=\"{}\",part=\"{}\",cause=\"{}\",state=\"{}\"}} 1\n",
        escaped_label(incident.id), to_name(incident.blame.kind), escaped_label(incident.blame.name),
        escaped_label(incident.cause), to_name(incident.state));
  }
  return out;
}

}  // namespace

std::string to_textfile(const WatchFigures& figures) {
  std::string out = open_incidents(figures.open);
  out += family("laggard_incidents_open", "gauge", "How many incidents are open.");
  out += fmt::format("laggard_incidents_open {}\n", figures.open.size());
  out += family("laggard_changes_total", "counter", "Changes of incidents that were noticed.");
  for (std::size_t i = 0; i < figures.changes.size(); ++i) {
    out += fmt::format("laggard_changes_total{{change=\"{}\"}} {}\n", to_name(static_cast<ChangeKind>(i)),
                       figures.changes.at(i));
  }
  out += family("laggard_verdict", "gauge", "1 for what the watch says now: sick, well or not_judged.");
  for (const Outcome outcome : {Outcome::kSick, Outcome::kWell, Outcome::kNotJudged}) {
    out += fmt::format("laggard_verdict{{verdict=\"{}\"}} {}\n", to_name(outcome),
                       outcome == figures.outcome ? 1 : 0);
  }
  out += family("laggard_components", "gauge", "Components that were recorded.");
  out += fmt::format("laggard_components {}\n", figures.components);
  out += family("laggard_components_judged", "gauge", "Those of them that are compared with peers now.");
  out += fmt::format("laggard_components_judged {}\n", figures.judged);
  if (figures.complete_until) {
    out += family("laggard_watch_complete_until_seconds", "gauge",
                  "Up to when samples are complete and judged, Unix time of the data.");
    out += fmt::format("laggard_watch_complete_until_seconds {:.3f}\n",
                       to_seconds(figures.complete_until->time_since_epoch()));
  }
  return out;
}

}  // namespace laggard::report
