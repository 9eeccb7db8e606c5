#include <fmt/format.h>

#include "model/metric.h"
#include "report/assets.h"
#include "report/html_parts.h"
#include "report/pack.h"
#include "report/utf8.h"

namespace laggard::report {

namespace {

std::string source_hash(const Asset& asset) { return "'sha256-" + base64(from_hex(asset.sha256)) + "'"; }

/// Nothing may be loaded from anywhere, and no script or style may run but ours: an escape that slipped
/// through would still be inert.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
      source_hash(page_script()), source_hash(page_style()));
}

}  // namespace

std::string metric_title(std::string_view metric) {
  const MetricSpec* spec = find_metric(metric);
  return std::string(spec == nullptr ? metric : spec->title);
}

std::string document(const Document& d) {
  std::string out;
  out.reserve(d.plots.size() + d.main.size() + d.diagnosis.size() + page_script().text.size() + 32768);
  out += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy());
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      // An empty icon, or browsers ask the server for one.
      "<link rel=\"icon\" href=\"data:,\">\n";
  out += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", html_escape(d.title),
                     page_style().text);
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
  out += page_script().text;
  out += "</script>\n</body>\n</html>\n";
  return out;
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

}  // namespace laggard::report
