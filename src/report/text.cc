#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/incident_text.h"
#include "report/layout.h"
#include "report/page.h"
#include "report/quantity.h"
#include "report/utf8.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kIndent = Page::kIndent;
constexpr std::size_t kBar = 24;
/// Gaps that are read by anybody; the JSON has all.
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
  const bool blind = diagnosis.coverage.components == 0 || diagnosis.coverage.partial();
  Ink ink = blind ? Ink::kYellow : Ink::kGreen;
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
  page.rest(sentences.size() - shown, kIndent);
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

}  // namespace laggard::report
