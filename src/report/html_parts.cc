#include "report/html_parts.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "base/terminal_text.h"
#include "model/metric.h"
#include "report/quantity.h"

namespace laggard::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// The hash by which a content security policy knows a script or a style.
std::string source_hash(std::string_view text) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return "'sha256-" + base64(digest) + "'";
}

/// Nothing may be loaded from anywhere, and no script or style may run but ours: an escape that slipped
/// through would still be inert.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
      source_hash(page_script()), source_hash(page_style()));
}

}  // namespace

std::string cleaned(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool blank = point.value == '\n' || point.value == '\t';
    const bool shown = point.valid && (blank || !is_unprintable(point.value));
    out += shown ? text.substr(0, point.bytes) : kReplacement;
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : cleaned(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string metric_title(std::string_view metric) {
  const MetricSpec* spec = find_metric(metric);
  return std::string(spec == nullptr ? metric : spec->title);
}

std::string document(const Document& d) {
  std::string out;
  out.reserve(d.plots.size() + d.main.size() + d.diagnosis.size() + page_script().size() + 32768);
  out += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy());
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      // An empty icon, or browsers ask the server for one.
      "<link rel=\"icon\" href=\"data:,\">\n";
  out += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", html_escape(d.title),
                     page_style());
  out += fmt::format("<header class=\"top\"><b>laggard</b><span>{}</span></header>\n<main>\n",
                     html_escape(d.heading));
  out += d.main;
  out +=
      "</main>\n<div id=\"zoom\" role=\"status\" hidden><span></span><button type=\"button\">Show "
      "all</button></div>\n";
  out += "<div id=\"live\" class=\"sr\" aria-live=\"polite\"></div>\n";
  if (!d.diagnosis.empty()) {
    out += R"(<script type="application/json" id="diagnosis">)" + d.diagnosis + "</script>\n";
  }
  out += R"(<script type="application/json" id="plots">)" + d.plots + "</script>\n";
  out += "<script>";
  out += page_script();
  out += "</script>\n</body>\n</html>\n";
  return out;
}

std::string svg_begin(SvgSize size, std::string_view kind) {
  return fmt::format("<svg class=\"drawn {}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">\n", kind,
                     size.width, size.height);
}

std::string svg_text(double x, double y, std::string_view text, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escape(text));
}

std::string shortened(std::string_view name, std::size_t most) {
  std::string clean = cleaned(name);
  std::size_t bytes = 0;
  for (std::size_t points = 0; bytes < clean.size(); ++bytes) {
    const bool begins = (static_cast<unsigned char>(clean[bytes]) & 0xC0U) != 0x80U;
    if (begins && points++ == most) return clean.substr(0, bytes) + "…";
  }
  return clean;
}

std::string figure(std::string_view kind, std::size_t index, std::string_view caption) {
  return fmt::format(
      "<figure data-kind=\"{}\" data-index=\"{}\"><figcaption>{}</figcaption><div "
      "class=\"stage\"></div></figure>\n",
      kind, index, caption);
}

std::string facts(const std::vector<std::string>& items) {
  std::string out = "<ul class=\"facts\">";
  for (const std::string& item : items) out += "<li>" + html_escape(item) + "</li>";
  return out + "</ul>\n";
}

std::string list_section(std::string_view title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string out = fmt::format("<h3>{}</h3>\n<ul class=\"plain\">", title);
  for (const std::string& sentence : sentences) out += "<li>" + html_escape(sentence) + "</li>\n";
  return out + "</ul>\n";
}

std::string component_button(std::string_view component) {
  const std::string name = html_escape(component);
  return fmt::format(
      R"(<button type="button" class="pick" data-component="{0}" aria-pressed="false">{0}</button>)", name);
}

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
  std::vector<std::string> items{counted(c.hosts, "host"), judged_components(c)};
  if (c.judged.from) {
    items.push_back("judged from " +
                    Clockface(*c.judged.from, *c.judged.to).span(*c.judged.from, *c.judged.to));
  }
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
