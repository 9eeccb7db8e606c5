#include "report/utf8.h"

namespace laggard::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_code_point(text).bytes);
  return count;
}

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

}  // namespace laggard::report
