#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laggard {

/// Names come from outside: device nodes, log lines, members of archives, other people's exporters. They may
/// not be UTF-8 and may contain control sequences, so everything that shows them uses this one decoder.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;  ///< How many bytes of the text it took.
  bool valid = false;     ///< False for one byte that is not UTF-8; `value` is the byte.
};

/// The first code point of `text`, which must not be empty. Overlong forms, surrogates and values past
/// U+10FFFF are invalid, as RFC 3629 asks.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// Whether a terminal obeys the character rather than shows it: control characters (C0, DEL, C1), line
/// separators, and bidirectional marks, which let a name rewrite the line that it stands in.
[[nodiscard]] bool is_unprintable(char32_t c);

/// A name or a sentence in a form that is safe for a terminal: what is unprintable or not UTF-8 is written as
/// `\x1b` or `\u202e`. That includes line feeds, so that a name cannot begin a new line.
[[nodiscard]] std::string printable(std::string_view text);

/// Whether `printable` leaves the text as it is.
[[nodiscard]] bool is_printable(std::string_view text);

/// What `TerminalText` lets through besides line feeds.
enum class Styling : std::uint8_t {
  kNone,
  kOurs,  ///< Our colours (`\x1b[1;31m`) and the erasing of a line (`\r\x1b[K`).
};

/// A filter for output on its way to a terminal, in pieces of any size. It escapes as `printable` does, but
/// keeps line feeds, and our own styling where that is asked for.
class TerminalText {
 public:
  explicit TerminalText(Styling styling = Styling::kNone) : styling_(styling) {}

  /// \return what may be shown so far; an incomplete code point or styling at the end of `text` is kept for
  ///         the next call.
  [[nodiscard]] std::string take(std::string_view text);
  /// \return what was kept, when nothing follows.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string show(std::string_view text, bool last);

  Styling styling_;
  std::string kept_;
};

/// The same for a whole output at once.
[[nodiscard]] std::string terminal_text(std::string_view text, Styling styling = Styling::kNone);

/// A document in JSON or TOML with the unprintable characters of its strings escaped (`\u009b`), which means
/// the same to a parser. Line feeds and tabs between the strings stay.
[[nodiscard]] std::string with_escapes(std::string_view document);

}  // namespace laggard
