#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/findings.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/utf8.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kLabel = 13;  // "  or perhaps ": indent, label, blank
constexpr std::size_t kIndent = 2;
constexpr std::size_t kBar = 24;
/// Lines of an incident's evidence, and gaps, that are read by anybody; the JSON has all.
constexpr std::size_t kMostEvidence = 12;
constexpr std::size_t kMostGaps = 12;
constexpr std::size_t kAll = SIZE_MAX - 1;

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

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

/// How many of a list are shown: at most `limit`, but the last place is not given to "and 1 more".
std::size_t shown_of(std::size_t size, std::size_t limit) { return size <= limit + 1 ? size : limit; }

/// Builds the report line by line.
class Page {
 public:
  explicit Page(const TextOptions& options)
      : width_(std::max<std::size_t>(40, options.width)), colour_(options.colour) {}

  void blank() { out_ += '\n'; }
  void line(std::string_view text, std::size_t indent, Ink ink = Ink::kPlain) {
    out_.append(text.empty() ? 0 : indent, ' ');
    out_ += paint(text, ink, colour_);
    out_ += '\n';
  }
  void paragraph(std::string_view text, std::size_t indent, Ink ink = Ink::kPlain) {
    for (const std::string& piece : wrap(text, width_ - indent)) line(piece, indent, ink);
  }
  /// `label` in front of the first line of `text`, the others hanging below it. Nothing for empty text.
  void labelled(std::string_view label, std::string_view text) {
    std::string front = std::string(kIndent, ' ') + std::string(label);
    front.resize(kLabel, ' ');
    for (const std::string& piece : wrap(text, width_ - kLabel)) {
      out_ += paint(front, Ink::kDim, colour_) + piece + '\n';
      front.assign(kLabel, ' ');
    }
  }
  void table(const Table& table, std::size_t indent) {
    Ink ink = Ink::kDim;
    for (const std::string& piece : table.lines(width_ - indent)) {
      line(piece, indent, ink);
      ink = Ink::kPlain;
    }
  }
  void bullet(std::string_view text) {
    std::string front = "  - ";
    for (const std::string& piece : wrap(text, width_ - front.size())) {
      out_ += front + piece + '\n';
      front.assign(front.size(), ' ');
    }
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::size_t width_;
  bool colour_;
  std::string out_;
};

Ink ink_of(const Incident& incident) {
  if (incident.status == IncidentStatus::kExcluded || incident.status == IncidentStatus::kExplained)
    return Ink::kDim;
  return incident.state == IncidentState::kConfirmed ? Ink::kRed : Ink::kYellow;
}

Ink ink_of(const Diagnosis& diagnosis) {
  Ink ink = diagnosis.coverage.components == 0 ? Ink::kYellow : Ink::kGreen;
  for (const Incident& incident : diagnosis.incidents) {
    const Ink mine = ink_of(incident);
    if (mine == Ink::kRed) return mine;
    if (mine == Ink::kYellow) ink = mine;
  }
  return ink;
}

std::string strength(const Incident& incident) {
  std::string out =
      fmt::format("persistence {}, severity {}", incident.persistence, humanise(incident.severity));
  if (incident.confidence) out += fmt::format(", confidence {} %", humanise(100 * *incident.confidence));
  return out +
         (incident.thresholds == ThresholdOrigin::kTrained ? ", trained thresholds" : ", self-calibrated");
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
  const std::vector<Finding> findings = findings_of(incident.evidence);
  const bool recurs =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.spells > 1; });
  const std::size_t shown = shown_of(findings.size(), kMostEvidence);
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
  if (shown < findings.size()) {
    page.paragraph(fmt::format("and {} more, which --json lists", findings.size() - shown), 2 * kIndent,
                   Ink::kDim);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const Evidence& e = findings[i].evidence;
    if (e.note.empty()) continue;
    page.paragraph(printable(fmt::format("{} of {}: {}", e.metric, e.component, e.note)), 2 * kIndent);
  }
}

void put_incident(Page& page, const Incident& incident, const Clockface& clock) {
  page.paragraph(printable(fmt::format("{}: {}, {}, {}", blamed(incident.blame), cause(incident),
                                       to_name(incident.state), to_name(incident.status))),
                 0, ink_of(incident));
  page.labelled("since", course(incident, clock));
  page.labelled(
      "why",
      printable(incident.rule.empty() ? incident.why : fmt::format("{} [{}]", incident.why, incident.rule)));
  page.labelled("strength", strength(incident));
  page.labelled("faulty", printable(joined(incident.components, ", ")));
  std::vector<std::string> others;
  for (const Blame& blame : incident.alternatives) others.push_back(blamed(blame));
  page.labelled("or perhaps", printable(joined(others, ", ")));
  if (!incident.evidence.empty()) put_evidence(page, incident, clock);
  page.blank();
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
  if (shown > 0) page.table(table, kIndent);
  if (ranking.size() > shown) {
    const std::string rest = counted(ranking.size() - shown, "more component");
    const std::string still =
        signs > shown ? fmt::format(", {} of them with some persistence", signs - shown) : ", all at zero";
    page.paragraph("and " + rest + still, kIndent, Ink::kDim);
  }
  page.blank();
}

void put_list(Page& page, std::string_view title, const std::vector<std::string>& sentences,
              std::size_t limit) {
  if (sentences.empty()) return;
  page.line(title, 0, Ink::kBold);
  const std::size_t shown = shown_of(sentences.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) page.bullet(printable(sentences[i]));
  if (shown < sentences.size()) {
    page.paragraph(fmt::format("and {} more, which --json lists", sentences.size() - shown), kIndent,
                   Ink::kDim);
  }
  page.blank();
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, const TextOptions& options) {
  Page page(options);
  const Clockface clock(diagnosis.from, diagnosis.to);
  page.paragraph(printable(verdict(diagnosis)), 0, ink_of(diagnosis));
  page.paragraph(printable(joined(circumstances(diagnosis), ", ")), 0, Ink::kDim);
  page.blank();
  for (const Incident& incident : diagnosis.incidents) put_incident(page, incident, clock);
  put_ranking(page, diagnosis.ranking, options.ranking);
  put_list(page, "Not compared", diagnosis.coverage.not_comparable, kAll);
  put_list(page, "Missing", diagnosis.coverage.missing, kMostGaps);
  put_list(page, "Clocks", skewed_clocks(diagnosis.coverage.clocks, clock), kAll);
  const std::string metrics = printable(joined(diagnosis.coverage.metrics, " "));
  page.paragraph(metrics.empty() ? "No metric was compared." : "Compared: " + metrics, 0, Ink::kDim);
  const std::string clocks = printable(other_clocks(diagnosis.coverage.clocks));
  if (!clocks.empty()) page.paragraph("Clocks: " + clocks, 0, Ink::kDim);
  return page.take();
}

}  // namespace laggard::report
