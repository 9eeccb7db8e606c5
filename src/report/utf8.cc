#include "report/utf8.h"

#include <fmt/format.h>

namespace laggard::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Lead {
  std::size_t bytes;
  char32_t bits;
  char32_t least;  ///< Below this the form is overlong.
};

Lead classify(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0U) == 0xC0) return {2, byte & 0x1FU, 0x80};
  if ((byte & 0xF0U) == 0xE0) return {3, byte & 0x0FU, 0x800};
  if ((byte & 0xF8U) == 0xF0) return {4, byte & 0x07U, 0x10000};
  return {0, byte, 0};
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const CodePoint invalid{byte, 1, false};
  const Lead lead = classify(byte);
  if (lead.bytes == 0 || text.size() < lead.bytes) return invalid;
  char32_t value = lead.bits;
  for (const char c : text.substr(1, lead.bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xC0U) != 0x80) return invalid;
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < lead.least || surrogate || value > 0x10FFFF) return invalid;
  return {value, lead.bytes, true};
}

bool is_unprintable(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool direction =
      (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
  return control || direction || c == 0x2028 || c == 0x2029;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.valid || (is_unprintable(point.value) && point.value < 0x100)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(point.value));
    } else if (is_unprintable(point.value)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

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
