#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/terminal_text.h"
#include "base/text.h"
#include "model/outcome.h"
#include "report/incident_text.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kBar = 24;
/// Nobody reads more gaps on a terminal; the JSON has all of them.
constexpr std::size_t kMostGaps = 12;
constexpr std::size_t kAll = SIZE_MAX - 1;  // shown_of looks one further

/// A bar of `share` (0..1) of `kBar` columns, in eighths of a column.
std::string bar(double share) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return "";
  const auto eighths =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(std::min(share, 1.0) * 8 * kBar)));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths.at(eighths % 8);
  return out;
}

Ink ink_of_verdict(const Diagnosis& diagnosis) {
  const bool whole_groups = !diagnosis.slowdowns.empty() || !diagnosis.camps.empty();
  Ink ink = !whole_groups && outcome_of(diagnosis) == Outcome::kWell ? Ink::kGreen : Ink::kYellow;
  for (const Incident& incident : diagnosis.incidents) {
    const Ink mine = ink_of(incident);
    if (mine == Ink::kRed) return mine;
    if (mine == Ink::kYellow) ink = mine;
  }
  return ink;
}

void put_ranking(Page& page, const std::vector<RankedComponent>& ranking, std::size_t limit) {
  const auto signs = static_cast<std::size_t>(std::ranges::count_if(
      ranking, [](const RankedComponent& r) { return r.persistence != 0 || r.severity > 0; }));
  if (ranking.empty()) return;
  if (signs == 0) {
    page.paragraph(
        fmt::format("Ranking: {}, none with any persistence", counted(ranking.size(), "component")), 0);
    page.blank();
    return;
  }
  double most = 0;
  for (const RankedComponent& r : ranking) {
    if (std::isfinite(r.severity)) most = std::max(most, r.severity);
  }
  Table table({{"component", false, kAlways},
               {"group", false, 2},
               {"persistence", true, kAlways},
               {"severity", true, kAlways},
               {"", false, 1}});
  const std::size_t shown = std::min(limit, signs);
  for (std::size_t i = 0; i < shown; ++i) {
    const RankedComponent& r = ranking[i];
    table.add({printable(r.component), printable(r.group), std::to_string(r.persistence),
               humanise(r.severity), most > 0 ? bar(r.severity / most) : ""});
  }
  page.line("Ranking", 0, Ink::kBold);
  if (shown > 0) page.table(table, Page::kIndent);
  if (ranking.size() > shown) {
    const std::string rest = counted(ranking.size() - shown, "more component");
    const std::string still =
        signs > shown ? fmt::format(", {} of them with some persistence", signs - shown) : ", all at zero";
    page.paragraph("and " + rest + still, Page::kIndent, Ink::kDim);
  }
  page.blank();
}

void put_list(Page& page, std::string_view title, const std::vector<std::string>& sentences,
              std::size_t limit) {
  if (sentences.empty()) return;
  page.line(title, 0, Ink::kBold);
  const std::size_t shown = shown_of(sentences.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) page.bullet(printable(sentences[i]));
  page.rest(sentences.size() - shown, Page::kIndent);
  page.blank();
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, const TextOptions& options) {
  Page page(options);
  const Clockface clock(diagnosis.from, diagnosis.to);
  page.paragraph(printable(verdict(diagnosis)), 0, ink_of_verdict(diagnosis));
  page.paragraph(printable(fmt::format("{}", fmt::join(circumstances(diagnosis), ", "))), 0, Ink::kDim);
  page.blank();
  put_incidents(page, diagnosis.incidents, clock);
  put_list(page, "All slow, nobody stands out", all_slow(diagnosis, clock), kMostGaps);
  put_list(page, "Two camps", two_camps(diagnosis, clock), kMostGaps);
  put_ranking(page, diagnosis.ranking, options.ranking);
  put_list(page, "Not compared", diagnosis.coverage.not_comparable, kAll);
  put_list(page, "Missing", diagnosis.coverage.missing, kMostGaps);
  put_list(page, "Damaged files", diagnosis.coverage.damaged, kMostGaps);
  put_list(page, "Clocks", skewed_clocks(diagnosis.coverage.clocks, clock), kAll);
  const std::string metrics = printable(fmt::format("{}", fmt::join(diagnosis.coverage.metrics, " ")));
  page.paragraph(metrics.empty() ? "No metric was compared." : "Compared: " + metrics, 0, Ink::kDim);
  const std::string clocks = printable(other_clocks(diagnosis.coverage.clocks));
  if (!clocks.empty()) page.paragraph("Clocks: " + clocks, 0, Ink::kDim);
  return page.take();
}

namespace {

/// RFC 4180: in quotes when it must be.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

std::string to_history_text(std::span<const PersistenceRow> rows) {
  std::string out;
  for (const PersistenceRow& row : rows) {
    out += to_iso8601(row.from);
    for (const RankedComponent& ranked : row.top) {
      out += fmt::format("  {} {}", ranked.persistence, printable(ranked.component));
    }
    out += row.top.empty() ? "  -\n" : "\n";
  }
  return out;
}

std::string to_history_csv(std::span<const PersistenceRow> rows) {
  std::string out = "from,rank,persistence,severity,group,component\n";
  for (const PersistenceRow& row : rows) {
    std::size_t rank = 0;
    for (const RankedComponent& ranked : row.top) {
      out += fmt::format("{},{},{},{:.3g},{},{}\n", to_iso8601(row.from), ++rank, ranked.persistence,
                         ranked.severity, csv_field(ranked.group), csv_field(ranked.component));
    }
  }
  return out;
}

namespace {

std::string lines_of(const Table& table, const TextOptions& options) {
  std::string out;
  Ink ink = Ink::kDim;
  for (const std::string& line : table.lines(options.width)) {
    out += paint(line, ink, options.colour) + '\n';
    ink = Ink::kPlain;
  }
  return out;
}

std::string what(const Decision& decision, std::span<const Decision> decisions) {
  return fmt::format("{} {}{}", decision.subject, to_name(decision.kind),
                     is_undone(decision, decisions) ? " (undone)" : "");
}

}  // namespace

std::string to_list_text(const Diagnosis& diagnosis, std::span<const Decision> decisions,
                         const TextOptions& options) {
  const Clockface clock(diagnosis.from, diagnosis.to);
  Table table({{"incident", false, kAlways},
               {"blamed", false, kAlways},
               {"cause", false, 5},
               {"state", false, kAlways},
               {"status", false, kAlways},
               {"since", false, 3},
               {"persistence", true, 2}});
  for (const Incident& incident : diagnosis.incidents) {
    table.add({printable(incident.id), printable(blamed(incident.blame)), printable(incident.cause),
               std::string(to_name(incident.state)), std::string(status(incident)),
               clock.moment(incident.since), std::to_string(incident.persistence)});
  }
  std::string out = diagnosis.incidents.empty() ? "no incidents\n" : lines_of(table, options);
  std::string acts;
  for (const Incident& incident : diagnosis.incidents) {
    const IncidentDecision* act = last_act(incident);
    if (act == nullptr) continue;
    acts += printable(fmt::format("{} was {} by {} on {}: {}", incident.id, act->what, act->by,
                                  Clockface::dated(act->made), act->why)) +
            "\n";
  }
  if (!acts.empty()) out += "\n" + acts;
  if (!decisions.empty()) out += "\n" + to_ledger_text(decisions, options);
  return out;
}

std::string to_ledger_text(std::span<const Decision> decisions, const TextOptions& options) {
  if (decisions.empty()) return "";
  Table table({{"decided", false, kAlways},
               {"by", false, kAlways},
               {"what", false, kAlways},
               {"from", false, 3},
               {"components", false, 2},
               {"why", false, kAlways}});
  for (const Decision& decision : decisions) {
    const bool timeless = decision.kind == DecisionKind::kNoted || decision.kind == DecisionKind::kUndone;
    const std::string from = timeless ? "" : decision.from ? Clockface::dated(*decision.from) : "always";
    const std::string components =
        decision.about ? fmt::format("{}", fmt::join(decision.about->components, ", ")) : "";
    table.add({Clockface::dated(decision.made), printable(decision.by), printable(what(decision, decisions)),
               from, printable(components), printable(decision.why)});
  }
  return lines_of(table, options);
}

namespace {

constexpr std::size_t kNamedComponents = 3;

/// An incident that is over or known already is not just confirmed or suspected.
std::string standing(const Incident& incident) {
  if (incident.status == IncidentStatus::kOpen) return std::string(to_name(incident.state));
  return fmt::format("{}, {}", to_name(incident.state), to_name(incident.status));
}

std::string some_components(const std::vector<std::string>& components) {
  return components.empty() ? "" : "; " + first_few(components, kNamedComponents);
}

}  // namespace

std::string change_line(const Change& change) {
  const Incident& incident = change.incident;
  const std::string into = change.kind == ChangeKind::kMerged ? ", now part of " + change.into : "";
  const std::string why = change.kind == ChangeKind::kExplained ? ": " + incident.why : "";
  return printable(fmt::format("{} {:<9} #{} {}: {}, {}{} (id {}{}){}", to_iso8601(change.at),
                               to_name(change.kind), change.number, blamed(incident.blame), cause(incident),
                               standing(incident), some_components(incident.components), incident.id, into,
                               why));
}

}  // namespace laggard::report
