// Whatever comes in, nothing comes out that a terminal would obey, however the text is cut into pieces; what
// is harmless stays as it is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/terminal_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string name = laggard::printable(text);
  LAGGARD_CHECK(laggard::is_printable(name));
  LAGGARD_CHECK(laggard::is_printable(text) == (name == text));
  const std::string whole = laggard::terminal_text(text);
  laggard::TerminalText terminal;
  std::string pieces;
  const std::size_t step = 1 + data[0] % 7;
  for (std::size_t at = 0; at < text.size(); at += step) pieces += terminal.take(text.substr(at, step));
  pieces += terminal.finish();
  LAGGARD_CHECK(pieces == whole);
  std::string without_lines = whole;
  std::erase(without_lines, '\n');
  LAGGARD_CHECK(laggard::is_printable(without_lines));
  return 0;
}
