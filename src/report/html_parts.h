#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis.h"
#include "model/plot.h"
#include "report/page_data.h"
#include "report/wording.h"

/// Pieces of the HTML report. Those that return markup have escaped every text in it already.

namespace laggard::report {

/// The script and the style of every page. cmake/EmbedReport.cmake makes them of web/report when laggard is
/// built.
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view page_style();

/// `text` with U+FFFD in place of unprintable and invalid parts (line feeds and tabs stay): HTML cannot carry
/// them, and a reader should see that something was there.
[[nodiscard]] std::string cleaned(std::string_view text);

/// `cleaned` for the content and the quoted attributes of HTML.
[[nodiscard]] std::string html_escape(std::string_view text);

/// A whole document around `main`, with the script, the style, the policy that forbids everything else, and
/// the data: `plots` for the figures, `diagnosis` (script JSON, may be empty) for programs.
struct Document {
  std::string title;
  std::string heading;  ///< Stands at the top, beside the name.
  std::string main;
  std::string plots;
  std::string diagnosis;
};
[[nodiscard]] std::string document(const Document& document);

/// `await` and `cwnd` as words: `Latency per request`, `TCP congestion window`; the name itself when it is
/// not known.
[[nodiscard]] std::string metric_title(std::string_view metric);

struct SvgSize {
  double width = 0;
  double height = 0;
};
/// The begin of a drawing of this kind, a class of page.css; `</svg>` ends it.
[[nodiscard]] std::string svg_begin(SvgSize size, std::string_view kind);
[[nodiscard]] std::string svg_text(double x, double y, std::string_view text,
                                   std::string_view anchor = "start");
/// `cleaned`, and of a name that has more than `most` code points the first ones with an ellipsis. Not
/// escaped: that is for whoever makes markup of it.
[[nodiscard]] std::string shortened(std::string_view name, std::size_t most);

[[nodiscard]] std::string figure(std::string_view kind, std::size_t index, std::string_view caption);
[[nodiscard]] std::string facts(const std::vector<std::string>& items);
/// A heading and a list of sentences; empty when there are none.
[[nodiscard]] std::string list_section(std::string_view title, const std::vector<std::string>& sentences);
/// A button that follows the component through all figures.
[[nodiscard]] std::string component_button(std::string_view component);

[[nodiscard]] std::string incident_section(const Incident& incident, const Clockface& clock,
                                           std::string_view anchor, std::string_view figures);
[[nodiscard]] std::string ranking_section(const Diagnosis& diagnosis);
[[nodiscard]] std::string coverage_section(const Diagnosis& diagnosis);

}  // namespace laggard::report
