#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "lab/cmd/results.h"

namespace laggard::lab {

namespace {

constexpr std::string_view kPageHead =
    R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>laggard-lab</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:15px system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right}
td:first-child,th:first-child{text-align:left}</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

/// `| a | b |` as a row of cells.
std::string row(std::string_view line, std::string_view tag) {
  std::string text = "<tr>";
  line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  for (const std::string_view cell : split(line, '|')) {
    text += fmt::format("<{}>{}</{}>", tag, escaped(trim(cell)), tag);
  }
  return text + "</tr>\n";
}

}  // namespace

std::string to_score_html(const std::vector<ClusterResults>& results) {
  // The Markdown is our own and uses three forms only: headings, tables and plain sentences.
  const std::string markdown = to_markdown(results);
  std::string page(kPageHead);
  bool in_table = false;
  for (const std::string_view line : split(markdown, '\n')) {
    const bool table_line = line.starts_with("|");
    if (in_table && !table_line) page += "</table>\n";
    if (table_line && !in_table) {
      page += "<table>\n" + row(line, "th");
    } else if (table_line) {
      if (!line.starts_with("|---")) page += row(line, "td");
    } else if (line.starts_with("## ")) {
      page += fmt::format("<h2>{}</h2>\n", escaped(line.substr(3)));
    } else if (!line.empty()) {
      page += fmt::format("<p>{}</p>\n", escaped(line));
    }
    in_table = table_line;
  }
  return page + "</body></html>\n";
}

}  // namespace laggard::lab
