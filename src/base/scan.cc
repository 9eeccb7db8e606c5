#include "base/scan.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/error.h"

namespace laggard {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::string_view take_line(std::string_view& text) {
  const void* newline = text.empty() ? nullptr : std::memchr(text.data(), '\n', text.size());
  if (newline == nullptr) {
    const std::string_view line = text;
    text = {};
    return line;
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - text.data());
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(length + 1);
  return line;
}

std::uint32_t read_numbers(std::string_view text, std::span<std::uint64_t> values) {
  LAGGARD_CHECK(values.size() <= 32);
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint32_t mask = 0;
  for (std::size_t place = 0; place < values.size(); ++place) {
    while (at != end && blank(*at)) ++at;
    if (at == end) break;
    const auto [stop, error] = std::from_chars(at, end, values[place]);
    if (error == std::errc{} && (stop == end || blank(*stop))) {
      mask |= std::uint32_t{1} << place;
      at = stop;
    } else {
      values[place] = 0;
      at = std::find_if(at, end, blank);
    }
  }
  return mask;
}

}  // namespace laggard
