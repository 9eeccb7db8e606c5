#include "report/ledger_text.h"

#include <fmt/format.h>

#include "report/layout.h"
#include "report/utf8.h"
#include "report/wording.h"

namespace laggard::report {

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

}  // namespace laggard::report
