#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace laggard::report {

/// Names come from outside: device nodes, log lines, other people's exporters. Nothing promises that they are
/// UTF-8 or free of control characters, so every writer of this room takes them apart with this one decoder.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;  ///< How many bytes of the text it took.
  bool valid = false;     ///< False: one byte that is no UTF-8 (value holds the byte).
};

/// The first code point of `text`, which must not be empty. Overlong forms, surrogates and values past
/// U+10FFFF are invalid, as RFC 3629 asks.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// Control characters, and the direction overrides that let a name rewrite the line it stands in.
[[nodiscard]] bool is_unprintable(char32_t c);

/// `text` as one may send it to a terminal: unprintable and invalid parts become `\x1b` or `\u202e`.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that `text` takes on a terminal, one per code point. Escape sequences must not be in it.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` with U+FFFD in place of unprintable and invalid parts (line feeds and tabs stay): HTML cannot carry
/// them, and a reader should see that something was there.
[[nodiscard]] std::string cleaned(std::string_view text);

/// `cleaned` for the content and the quoted attributes of HTML.
[[nodiscard]] std::string html_escape(std::string_view text);

}  // namespace laggard::report
