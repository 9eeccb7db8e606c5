#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/html_parts.h"
#include "report/quantity.h"
#include "report/utf8.h"

namespace laggard::report {

namespace {

constexpr std::size_t kRankingShown = 15;  // the rest opens on demand, and prints

std::string share_bar(double share) {
  if (!(share > 0)) return "";
  return fmt::format(
      "<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"{:.1f}\" "
      "height=\"8\"/></svg>",
      std::max(0.5, 100 * std::min(1.0, share)));
}

std::string ranking_row(const RankedComponent& r, std::size_t place, double most, std::string_view kind) {
  return fmt::format(
      "<tr class=\"{}\"><td class=\"n muted\">{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td><td class=\"bar\">{}</td></tr>\n",
      kind, place, component_button(r.component), html_escape(r.group), r.persistence, humanise(r.severity),
      share_bar(most > 0 ? r.severity / most : 0));
}

}  // namespace

std::string ranking_section(const Diagnosis& diagnosis) {
  const auto& ranking = diagnosis.ranking;
  if (ranking.empty()) return "";
  std::set<std::string_view> sick;
  for (const Incident& incident : diagnosis.incidents)
    sick.insert(incident.components.begin(), incident.components.end());
  double most = 0;
  for (const RankedComponent& r : ranking) {
    if (std::isfinite(r.severity)) most = std::max(most, r.severity);
  }
  std::string out =
      "<section class=\"card\" id=\"ranking\">\n<header><h2>Ranking</h2><span class=\"muted\">by "
      "persistence: windows "
      "in which a component differed, less those in which it did not</span></header>\n<h3></h3><div "
      "class=\"scroll\"><table id=\"ranks\">\n<thead><tr><th "
      "class=\"n\">#</th><th>Component</th><th>Group</th><th "
      "class=\"n\">Persistence</th><th class=\"n\">Severity</th><th></th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    std::string kind = sick.contains(ranking[i].component) ? "sick" : "";
    if (i >= kRankingShown) kind += kind.empty() ? "more" : " more";
    out += ranking_row(ranking[i], i + 1, most, kind);
  }
  out += "</tbody></table></div>\n";
  if (ranking.size() > kRankingShown) {
    out +=
        fmt::format("<button type=\"button\" class=\"all\" data-more=\"ranks\" hidden>Show all {}</button>\n",
                    ranking.size());
  }
  return out + "</section>\n";
}

std::string coverage_section(const Diagnosis& diagnosis) {
  const Coverage& c = diagnosis.coverage;
  std::string out =
      "<section class=\"card\" id=\"coverage\">\n<header><h2>What was looked at</h2></header>\n";
  std::vector<std::string> items{counted(c.hosts, "host"), counted(c.components, "component")};
  out += facts(items);
  std::string metrics;
  for (const std::string& metric : c.metrics) {
    metrics += fmt::format("<li>{} <code class=\"muted\">{}</code></li>", html_escape(metric_title(metric)),
                           html_escape(metric));
  }
  if (!metrics.empty()) out += "<h3>Metrics</h3>\n<ul class=\"inline\">" + metrics + "</ul>\n";
  out += list_section("Not compared", c.not_comparable);
  out += list_section("Missing", c.missing);
  out += list_section("Damaged files", c.damaged);
  std::vector<std::string> clocks = skewed_clocks(c.clocks, Clockface(diagnosis.from, diagnosis.to));
  if (const std::string others = other_clocks(c.clocks); !others.empty()) clocks.push_back(others);
  out += list_section("Clocks", clocks);
  return out + "</section>\n";
}

}  // namespace laggard::report
