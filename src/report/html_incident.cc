#include <fmt/format.h>

#include "report/html_parts.h"
#include "report/incident_text.h"
#include "report/payloads.h"
#include "report/quantity.h"
#include "report/utf8.h"

namespace laggard::report {

namespace {

class Keys {
 public:
  void add(std::string_view term, std::string_view markup) {
    if (!markup.empty()) out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, markup);
  }
  [[nodiscard]] std::string markup() const { return "<dl class=\"keys\">\n" + out_ + "</dl>\n"; }

 private:
  std::string out_;
};

std::string moment(WallTime t, const Clockface& clock) {
  return fmt::format("<time datetime=\"{}\">{}</time>", to_iso8601(t), clock.moment(t));
}

std::string keys(const Incident& incident, const Clockface& clock) {
  Keys keys;
  keys.add("Since", moment(incident.since, clock));
  if (incident.faulty_since) keys.add("Faulty from", moment(*incident.faulty_since, clock));
  if (incident.until) {
    keys.add("Until", fmt::format("{} ({})", moment(*incident.until, clock),
                                  coarse(*incident.until - incident.since)));
  }
  keys.add("Persistence", std::to_string(incident.persistence));
  keys.add("Severity", humanise(incident.severity));
  if (incident.confidence) keys.add("Confidence", humanise(100 * *incident.confidence) + " %");
  keys.add("Thresholds", incident.thresholds == ThresholdOrigin::kTrained ? "trained" : "self-calibrated");
  keys.add("Rule", html_escape(incident.rule));
  std::string components;
  for (const std::string& name : incident.components) components += component_button(name) + " ";
  keys.add(incident.components.size() == 1 ? "Faulty component" : "Faulty components", components);
  std::string others;
  for (const Part& blame : incident.alternatives)
    others += (others.empty() ? "" : ", ") + html_escape(blamed(blame));
  keys.add("Or perhaps", others);
  return keys.markup();
}

std::string cell(std::string_view text, std::string_view kind = "n") {
  return fmt::format("<td class=\"{}\">{}</td>", kind, html_escape(text));
}

std::string evidence_row(const Finding& finding, const Clockface& clock) {
  const Evidence& e = finding.evidence;
  std::string out =
      fmt::format("<tr><td>{} <code class=\"muted\">{}</code></td><td>{}</td>",
                  html_escape(metric_title(e.metric)), html_escape(e.metric), component_button(e.component));
  out += cell(e.level ? humanise(*e.level, e.unit) : "", "n strong");
  out += cell(e.peers ? humanise(*e.peers, e.unit) : "");
  out += cell(ratio(e.level, e.peers).value_or(""));
  out += cell(e.detector, "");
  out += cell(humanise(e.distance)) + cell(humanise(e.threshold)) + cell(humanise(e.score));
  const std::string spells = finding.spells > 1 ? fmt::format(", {} spells", finding.spells) : "";
  out += cell(windows(e, clock) + spells, "when") + "</tr>\n";
  if (!e.note.empty())
    out += fmt::format("<tr class=\"note\"><td colspan=\"10\">{}</td></tr>\n", html_escape(e.note));
  return out;
}

std::string evidence_table(const Incident& incident, const Clockface& clock) {
  std::string out =
      "<h3>Evidence</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th>Metric</th><th>Component</th>"
      "<th class=\"n\">Level</th><th class=\"n\">Peers’ median</th><th class=\"n\">Ratio</th><th>Test</th>"
      "<th class=\"n\">Distance</th><th class=\"n\">Threshold</th><th class=\"n\">Score</th>"
      "<th>Flagged</th></tr></thead>\n<tbody>\n";
  std::size_t rows = 0;
  for (const Finding& finding : findings_of(incident.evidence)) {
    if (finding.evidence.metric.empty()) continue;
    out += evidence_row(finding, clock);
    ++rows;
  }
  return rows == 0 ? "" : out + "</tbody></table></div>\n";
}

/// What witnesses show that compare no metric.
std::string other_evidence_markup(const Incident& incident, const Clockface& clock) {
  std::string out;
  for (const Evidence& evidence : incident.evidence) {
    if (!evidence.metric.empty()) continue;
    out += fmt::format("<p>{}</p>\n", html_escape(other_evidence(evidence)));
    for (const Payload& payload : evidence.payloads) out += payload_markup(payload, clock);
  }
  return out.empty() ? out : "<h3>Other witnesses</h3>\n" + out;
}

}  // namespace

std::string incident_section(const Incident& incident, const Clockface& clock, std::string_view anchor,
                             std::string_view figures) {
  const std::string_view state = to_name(incident.state);
  std::string out =
      fmt::format("<article class=\"card\" id=\"{}\">\n<header><h2>{}</h2><span class=\"cause\">{}</span>",
                  anchor, html_escape(blamed(incident.blame)), html_escape(cause(incident)));
  out += fmt::format("<span class=\"badge {0}\">{0}</span>", state);
  if (incident.status != IncidentStatus::kOpen) {
    out += fmt::format("<span class=\"badge\">{}</span>", to_name(incident.status));
  }
  out += "</header>\n";
  if (!incident.why.empty()) out += fmt::format("<p class=\"why\">{}</p>\n", html_escape(incident.why));
  out += keys(incident, clock);
  out += figures;
  out += evidence_table(incident, clock) + other_evidence_markup(incident, clock);
  return out + "</article>\n";
}

}  // namespace laggard::report
