#include "report/incident_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "report/payloads.h"
#include "report/quantity.h"
#include "report/utf8.h"

namespace laggard::report {

namespace {

bool is_same_finding(const Evidence& a, const Evidence& b) {
  return a.metric == b.metric && a.component == b.component && a.detector == b.detector &&
         a.source == b.source;
}

void add_spell(Finding& finding, const Evidence& spell) {
  std::vector<WallTime> windows = std::move(finding.evidence.windows);
  windows.insert(windows.end(), spell.windows.begin(), spell.windows.end());
  if (spell.score > finding.evidence.score) finding.evidence = spell;
  finding.evidence.windows = std::move(windows);
  ++finding.spells;
}

}  // namespace

std::vector<Finding> findings_of(std::span<const Evidence> evidence) {
  std::vector<Finding> findings;
  for (const Evidence& spell : evidence) {
    const auto same = std::ranges::find_if(
        findings, [&](const Finding& finding) { return is_same_finding(finding.evidence, spell); });
    if (same == findings.end()) {
      findings.push_back({spell, 1});
    } else {
      add_spell(*same, spell);
    }
  }
  return findings;
}

namespace {

constexpr std::size_t kIndent = Page::kIndent;
/// How much of a list anybody reads; the JSON has all.
constexpr std::size_t kMostFindings = 12;
constexpr std::size_t kMostNames = 12;
constexpr std::size_t kMostSuspects = 12;
/// Suspects that are printed like confirmed incidents.
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

/// The findings to show: when they are too many, at least one of each metric and test, then the strongest of
/// the others. A failed controller's hundreds of take-overs would push out that its own LUNs are gone.
std::vector<Finding> chosen(std::vector<Finding> findings) {
  if (findings.size() <= shown_of(findings.size(), kMostFindings)) return findings;
  std::set<std::pair<std::string, std::string>> seen;
  std::stable_partition(findings.begin(), findings.end(), [&](const Finding& finding) {
    return seen.emplace(finding.evidence.metric, finding.evidence.detector).second;
  });
  return findings;
}

void put_evidence(Page& page, const Incident& incident, const Clockface& clock) {
  Table table({{"metric", false, kAlways},
               {"component", false, kAlways},
               {"level", true, 9},
               {"peers", true, 8},
               {"ratio", true, 4},
               {"test", false, 3},
               {"distance", true, 5},
               {"limit", true, 6},
               {"score", true, 7},
               {"spells", true, 3},
               {"windows", true, 2},
               {"first", false, 1}});
  std::vector<Evidence> of_metrics;
  std::ranges::copy_if(incident.evidence, std::back_inserter(of_metrics),
                       [](const Evidence& evidence) { return !evidence.metric.empty(); });
  const std::vector<Finding> findings = chosen(findings_of(of_metrics));
  const bool recurs =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.spells > 1; });
  const std::size_t shown = shown_of(findings.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) {
    const Evidence& e = findings[i].evidence;
    const std::string unit = printable(e.unit);
    table.add({printable(e.metric), printable(e.component), e.level ? humanise(*e.level, unit) : "",
               e.peers ? humanise(*e.peers, unit) : "", ratio(e.level, e.peers).value_or(""),
               printable(e.detector), humanise(e.distance), humanise(e.threshold), humanise(e.score),
               recurs ? std::to_string(findings[i].spells) : "",
               e.windows.empty() ? "" : std::to_string(e.windows.size()),
               e.windows.empty() ? "" : clock.moment(*std::ranges::min_element(e.windows))});
  }
  page.table(table, 2 * kIndent);
  page.rest(findings.size() - shown, 2 * kIndent);
  for (std::size_t i = 0; i < shown; ++i) {
    const Evidence& e = findings[i].evidence;
    if (e.note.empty()) continue;
    page.paragraph(printable(fmt::format("{} of {}: {}", e.metric, e.component, e.note)), 2 * kIndent);
  }
}

/// What witnesses show that compare no metric.
void put_other_evidence(Page& page, const Incident& incident, const Clockface& clock) {
  std::size_t others = 0;
  for (const Evidence& e : incident.evidence) {
    if (!e.metric.empty() || ++others > kMostFindings) continue;
    page.paragraph(printable(other_evidence(e)), 2 * kIndent);
    for (const Payload& payload : e.payloads) put_payload(page, payload, clock, 3 * kIndent);
  }
  if (others > kMostFindings) page.rest(others - kMostFindings, 2 * kIndent);
}

void put_incident(Page& page, const Incident& incident, const Clockface& clock) {
  page.paragraph(printable(fmt::format("{}: {}, {}, {}", blamed(incident.blame), cause(incident),
                                       to_name(incident.state), status(incident))),
                 0, ink_of(incident));
  page.labelled("since", course(incident, clock));
  page.labelled(
      "why",
      printable(incident.rule.empty() ? incident.why : fmt::format("{} [{}]", incident.why, incident.rule)));
  page.labelled("strength", strength(incident));
  page.labelled("faulty", listed(incident.components));
  std::vector<std::string> others;
  for (const Part& blame : incident.alternatives) others.push_back(blamed(blame));
  page.labelled("or perhaps", listed(others));
  page.labelled("other ids", listed(incident.also_known_as));
  const auto is_of_metric = [](const Evidence& evidence) { return !evidence.metric.empty(); };
  if (std::ranges::any_of(incident.evidence, is_of_metric)) put_evidence(page, incident, clock);
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
  if (incident.status == IncidentStatus::kExcluded || incident.status == IncidentStatus::kExplained)
    return Ink::kDim;
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
