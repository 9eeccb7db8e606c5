#include "report/incident_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/terminal_text.h"
#include "report/evidence.h"
#include "report/payloads.h"
#include "report/spoken.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kIndent = Page::kIndent;
/// Nobody reads longer lists on a terminal; the JSON has all of them.
constexpr std::size_t kMostEvidence = 12;
constexpr std::size_t kMostNames = 12;
constexpr std::size_t kMostSuspects = 12;
/// So many suspected incidents are printed like confirmed ones.
constexpr std::size_t kSuspectsInFull = 3;

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = shown_of(names.size(), kMostNames);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? ", " : "") + printable(names[i]);
  if (shown < names.size()) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

std::string strength(const Incident& incident) {
  std::string out =
      fmt::format("persistence {}, severity {}", incident.persistence, humanise(incident.severity));
  if (incident.confidence) out += fmt::format(", confidence {} %", humanise(100 * *incident.confidence));
  return out +
         (incident.thresholds == ThresholdOrigin::kTrained ? ", trained thresholds" : ", self-calibrated");
}

/// Puts the rows to show in front: when they are too many, at least one of each kind, then the strongest of
/// the others. A failed controller's hundreds of failovers would push out that its own LUNs are gone.
void put_each_kind_first(std::vector<EvidenceTable::Row>& rows) {
  if (rows.size() <= shown_of(rows.size(), kMostEvidence)) return;
  std::set<std::string> seen;
  std::stable_partition(rows.begin(), rows.end(),
                        [&](const EvidenceTable::Row& row) { return seen.insert(row.what).second; });
}

std::string mode_of(const Incident& incident) {
  if (incident.mode == FailureMode::kOverload) return "overload: it has more to do than its peers";
  const auto any_answer = [&](const auto& is_one) {
    return std::ranges::any_of(incident.evidence, [&](const Evidence& each) {
      return each.mode == FailureMode::kReliability && each.detector != "first-cause" && is_one(each);
    });
  };
  if (any_answer([](const Evidence& each) { return !each.surmised; })) {
    return "reliability: its log tells of failures";
  }
  if (any_answer([](const Evidence& each) { return !each.waits; })) {
    return "reliability, it seems: its log has errors that no pattern knows";
  }
  if (any_answer([](const Evidence& each) { return each.source == "logs"; })) {
    return "reliability, it seems: its log tells of what waits, and no load explains it";
  }
  if (any_answer([](const Evidence&) { return true; })) {
    return "reliability, it seems: it has no more to do than its peers";
  }
  return "reliability: its load follows what is broken beside it";
}

bool is_right_aligned(EvidenceColumn::Kind kind) {
  return kind == EvidenceColumn::Kind::kNumber || kind == EvidenceColumn::Kind::kMainNumber;
}

void put_evidence(Page& page, EvidenceTable evidence) {
  put_each_kind_first(evidence.rows);
  std::vector<Column> columns;
  for (const EvidenceColumn& column : evidence.columns) {
    if (column.terminal_title.empty()) continue;
    columns.push_back({column.terminal_title, is_right_aligned(column.kind), column.importance});
  }
  Table table(std::move(columns));
  const std::size_t shown = shown_of(evidence.rows.size(), kMostEvidence);
  const std::span<const EvidenceTable::Row> rows = std::span(evidence.rows).first(shown);
  for (const EvidenceTable::Row& row : rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < evidence.columns.size(); ++i) {
      if (!evidence.columns[i].terminal_title.empty()) cells.push_back(printable(row.cells[i]));
    }
    table.add(std::move(cells));
  }
  page.table(table, 2 * kIndent);
  page.rest(evidence.rows.size() - shown, 2 * kIndent);
  for (const std::string& meaning : evidence.meanings) {
    page.paragraph("distance " + meaning, 2 * kIndent, Ink::kDim);
  }
  for (const EvidenceTable::Row& row : rows) {
    if (row.note.empty()) continue;
    page.paragraph(printable(fmt::format("{}: {}", row.subject, row.note)), 2 * kIndent);
  }
}

/// What witnesses show that compare no metric.
void put_other_evidence(Page& page, const Incident& incident, const Clockface& clock) {
  std::size_t others = 0;
  for (const Evidence& e : incident.evidence) {
    if (!e.metric.empty() || ++others > kMostEvidence) continue;
    page.paragraph(printable(other_evidence(e)), 2 * kIndent);
    for (const Payload& payload : e.payloads) put_payload(page, payload, clock, 3 * kIndent);
  }
  if (others > kMostEvidence) page.rest(others - kMostEvidence, 2 * kIndent);
}

void put_incident(Page& page, const Incident& incident, const Clockface& clock) {
  page.paragraph(printable(fmt::format("{}: {}, {}, {}", blamed(incident.blame), cause(incident),
                                       to_name(incident.state), status(incident))),
                 0, ink_of(incident));
  page.labelled("says", printable(spoken_evidence(incident)));
  page.labelled("since", course(incident, clock));
  page.labelled(
      "why",
      printable(incident.rule.empty() ? incident.why : fmt::format("{} [{}]", incident.why, incident.rule)));
  // Not wrapped: they are to be copied.
  for (const std::string& command : incident.check) page.line("$ " + printable(command), 2 * kIndent);
  if (incident.impact) page.labelled("impact", printable(impact(*incident.impact)));
  if (incident.mode) page.labelled("mode", mode_of(incident));
  page.labelled("strength", strength(incident));
  page.labelled("faulty", listed(incident.components));
  std::vector<std::string> others;
  for (const Part& blame : incident.alternatives) others.push_back(blamed(blame));
  page.labelled("or perhaps", listed(others));
  page.labelled("other ids", listed(incident.also_known_as));
  for (EvidenceTable& table : evidence_tables(incident, clock)) put_evidence(page, std::move(table));
  put_other_evidence(page, incident, clock);
  page.blank();
}

void put_suspects(Page& page, const std::vector<const Incident*>& suspects, const Clockface& clock) {
  if (suspects.empty()) return;
  Table table({{"blamed", false, kAlways},
               {"cause", false, kAlways},
               {"since", false, 3},
               {"until", false, 2},
               {"status", false, 1},
               {"persistence", true, 4},
               {"severity", true, 5}});
  const std::size_t shown = shown_of(suspects.size(), kMostSuspects);
  for (std::size_t i = 0; i < shown; ++i) {
    const Incident& suspect = *suspects[i];
    table.add({printable(blamed(suspect.blame)), printable(suspect.cause), clock.moment(suspect.since),
               suspect.until ? clock.moment(*suspect.until) : "", std::string(to_name(suspect.status)),
               std::to_string(suspect.persistence), humanise(suspect.severity)});
  }
  page.line("Also suspected, not confirmed", 0, Ink::kBold);
  page.table(table, kIndent);
  page.rest(suspects.size() - shown, kIndent);
  page.blank();
}

}  // namespace

Ink ink_of(const Incident& incident) {
  if (is_accounted_for(incident)) return Ink::kDim;
  return incident.state == IncidentState::kConfirmed ? Ink::kRed : Ink::kYellow;
}

void put_incidents(Page& page, const std::vector<Incident>& incidents, const Clockface& clock) {
  std::vector<const Incident*> suspects;
  std::size_t in_full = 0;
  for (const Incident& incident : incidents) {
    if (incident.state == IncidentState::kConfirmed || in_full++ < kSuspectsInFull) {
      put_incident(page, incident, clock);
    } else {
      suspects.push_back(&incident);
    }
  }
  put_suspects(page, suspects, clock);
}

}  // namespace laggard::report
