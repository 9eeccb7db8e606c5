#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laggard {

/// Names come from outside: device nodes, log lines, members of archives, other people's exporters. Nothing
/// promises that they are UTF-8 or free of what a terminal obeys, so that whoever shows them takes them apart
/// with this one decoder.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;  ///< How many bytes of the text it took.
  bool valid = false;     ///< False: one byte that is no UTF-8 (value holds the byte).
};

/// The first code point of `text`, which must not be empty. Overlong forms, surrogates and values past
/// U+10FFFF are invalid, as RFC 3629 asks.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// What a terminal obeys rather than shows: control characters (C0, DEL, C1), separators of lines, and marks
/// of direction, which let a name rewrite the line that it stands in.
[[nodiscard]] bool is_unprintable(char32_t c);

/// A name or a sentence as a terminal may get it: what is unprintable or no UTF-8 becomes `\x1b` or `\u202e`,
/// line feeds included, so that a name cannot begin a line of its own.
[[nodiscard]] std::string printable(std::string_view text);

/// Whether `printable` leaves the text as it is.
[[nodiscard]] bool is_printable(std::string_view text);

/// What `TerminalText` leaves alone besides line feeds.
enum class Styling : std::uint8_t {
  kNone,
  kOurs,  ///< Colours (`\x1b[1;31m`) and the wiping of a line (`\r\x1b[K`).
};

/// Whole output on its way to a terminal, in pieces of any size: as `printable`, but line feeds stay, and our
/// own styling where that is asked for.
class TerminalText {
 public:
  explicit TerminalText(Styling styling = Styling::kNone) : styling_(styling) {}

  /// What may be shown of the text so far; the beginning of a code point or of a styling at the end of `text`
  /// is kept for the next call.
  [[nodiscard]] std::string take(std::string_view text);
  /// What was kept, when nothing follows.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string show(std::string_view text, bool last);

  Styling styling_;
  std::string kept_;
};

/// All of an output at once.
[[nodiscard]] std::string terminal_text(std::string_view text, Styling styling = Styling::kNone);

/// A document in JSON or TOML whose strings hold no unprintable character but as an escape (`\u009b`), which
/// says the same. Line feeds and tabs between the strings stay.
[[nodiscard]] std::string with_escapes(std::string_view document);

}  // namespace laggard
