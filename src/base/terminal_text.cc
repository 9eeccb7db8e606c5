#include "base/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace laggard {

namespace {

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

constexpr bool is_plain(char c) { return c >= ' ' && c <= '~'; }

/// How much of the text is plain ASCII: nearly always all of it.
std::size_t plain_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

void append_shown(std::string& out, std::string_view bytes, const CodePoint& point) {
  if (point.valid && !is_unprintable(point.value)) {
    out += bytes;
  } else if (point.value < 0x100) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(point.value));
  } else {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
  }
}

/// All control sequences that this program ever sends to a terminal.
constexpr std::array<std::string_view, 7> kStylings{"\x1b[0m",    "\x1b[1m",    "\x1b[2m", "\x1b[1;31m",
                                                    "\x1b[1;32m", "\x1b[1;33m", "\r\x1b[K"};

/// The styling that the text begins with; empty when it is none.
std::string_view styling_at(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kStylings, [&](std::string_view styling) { return text.starts_with(styling); });
  return found == kStylings.end() ? std::string_view{} : *found;
}

bool begins_styling(std::string_view text) {
  return std::ranges::any_of(kStylings, [&](std::string_view styling) { return styling.starts_with(text); });
}

/// Whether the text may be the beginning of a longer code point.
bool begins_code_point(std::string_view text) {
  const Lead lead = classify(static_cast<unsigned char>(text.front()));
  return text.size() < lead.bytes && std::ranges::all_of(text.substr(1), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
         });
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
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x206F) || c == 0x200E ||
                         c == 0x200F || c == 0x061C;
  const bool separator = c == 0x2028 || c == 0x2029 || (c >= 0xFFF9 && c <= 0xFFFB);
  return control || direction || separator;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint point = first_code_point(text);
    append_shown(out, text.substr(0, point.bytes), point);
    text.remove_prefix(point.bytes);
  }
  return out;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(plain_length(text));
    if (text.empty()) break;
    const CodePoint point = first_code_point(text);
    if (!point.valid || is_unprintable(point.value)) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

std::string TerminalText::show(std::string_view text, bool last) {
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (text.front() == '\n') {
      out += '\n';
      text.remove_prefix(1);
      continue;
    }
    if (styling_ == Styling::kOurs) {
      const std::string_view styling = styling_at(text);
      out += styling;
      text.remove_prefix(styling.size());
      if (!styling.empty()) continue;
    }
    const bool unfinished = begins_code_point(text) || (styling_ == Styling::kOurs && begins_styling(text));
    if (unfinished && !last) break;
    const CodePoint point = first_code_point(text);
    append_shown(out, text.substr(0, point.bytes), point);
    text.remove_prefix(point.bytes);
  }
  kept_ = text;
  return out;
}

std::string TerminalText::take(std::string_view text) {
  if (kept_.empty()) return show(text, false);
  const std::string all = kept_ + std::string(text);
  return show(all, false);
}

std::string TerminalText::finish() {
  const std::string rest = std::move(kept_);
  return show(rest, true);
}

std::string terminal_text(std::string_view text, Styling styling) {
  TerminalText terminal(styling);
  std::string out = terminal.take(text);
  return out += terminal.finish();
}

std::string with_escapes(std::string_view document) {
  std::string out;
  while (!document.empty()) {
    const std::size_t plain = plain_length(document);
    out += document.substr(0, plain);
    document.remove_prefix(plain);
    if (document.empty()) break;
    const CodePoint point = first_code_point(document);
    const bool between = point.value == '\n' || point.value == '\t';
    if (!point.valid) {
      out += "\xEF\xBF\xBD";  // U+FFFD: neither format can express a byte that is not text.
    } else if (is_unprintable(point.value) && !between) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
    } else {
      out += document.substr(0, point.bytes);
    }
    document.remove_prefix(point.bytes);
  }
  return out;
}

}  // namespace laggard
