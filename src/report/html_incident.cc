#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/evidence.h"
#include "report/html_parts.h"
#include "report/payloads.h"
#include "report/spoken.h"

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
  } else if (incident.seen_until != WallTime{}) {
    keys.add("Last seen", moment(incident.seen_until, clock));
  }
  if (incident.impact) keys.add("Impact", html_escape(impact(*incident.impact)));
  if (incident.mode) keys.add("Mode", std::string(to_name(*incident.mode)));
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

bool is_number(EvidenceColumn::Kind kind) {
  return kind == EvidenceColumn::Kind::kNumber || kind == EvidenceColumn::Kind::kMainNumber;
}

std::string cell(EvidenceColumn::Kind kind, std::string_view text) {
  switch (kind) {
    case EvidenceColumn::Kind::kText:
      return fmt::format("<td>{}</td>", html_escape(text));
    case EvidenceColumn::Kind::kNumber:
      return fmt::format("<td class=\"n\">{}</td>", html_escape(text));
    case EvidenceColumn::Kind::kMainNumber:
      return fmt::format("<td class=\"n strong\">{}</td>", html_escape(text));
    case EvidenceColumn::Kind::kMetric:
      return fmt::format("<td>{} <code class=\"muted\">{}</code></td>", html_escape(metric_title(text)),
                         html_escape(text));
    case EvidenceColumn::Kind::kComponent:
      return fmt::format("<td>{}</td>", component_button(text));
    case EvidenceColumn::Kind::kWindows:
      return fmt::format("<td class=\"when\">{}</td>", html_escape(text));
  }
  return "";
}

/// Indices of the columns that stand on a page: those with a title and with text in a row.
std::vector<std::size_t> columns_of_page(const EvidenceTable& table) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool said =
        std::ranges::any_of(table.rows, [&](const EvidenceTable::Row& row) { return !row.cells[i].empty(); });
    if (said && !table.columns[i].title.empty()) out.push_back(i);
  }
  return out;
}

std::string markup(const EvidenceTable& table) {
  const std::vector<std::size_t> columns = columns_of_page(table);
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::size_t i : columns) {
    out += fmt::format("<th{}>{}</th>", is_number(table.columns[i].kind) ? " class=\"n\"" : "",
                       html_escape(table.columns[i].title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const EvidenceTable::Row& row : table.rows) {
    out += "<tr>";
    for (const std::size_t i : columns) out += cell(table.columns[i].kind, row.cells[i]);
    out += "</tr>\n";
    if (row.note.empty()) continue;
    out += fmt::format("<tr class=\"note\"><td colspan=\"{}\">{}</td></tr>\n", columns.size(),
                       html_escape(row.note));
  }
  out += "</tbody></table></div>\n";
  for (const std::string& meaning : table.meanings) {
    out += fmt::format("<p class=\"muted\">Distance {}</p>\n", html_escape(meaning));
  }
  return out;
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

/// What to look at next.
std::string checks(const Incident& incident) {
  std::string commands;
  for (const std::string& command : incident.check) commands += html_escape(command) + "\n";
  return commands.empty() ? commands : "<pre>" + commands + "</pre>\n";
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
  if (const std::string says = spoken_evidence(incident); !says.empty()) {
    out += fmt::format("<p class=\"says\">{}</p>\n", html_escape(says));
  }
  if (!incident.why.empty()) out += fmt::format("<p class=\"why\">{}</p>\n", html_escape(incident.why));
  out += checks(incident);
  out += keys(incident, clock);
  out += figures;
  const std::vector<EvidenceTable> tables = evidence_tables(incident, clock);
  if (!tables.empty()) out += "<h3>Evidence</h3>\n";
  for (const EvidenceTable& table : tables) out += markup(table);
  out += other_evidence_markup(incident, clock);
  return out + "</article>\n";
}

}  // namespace laggard::report
