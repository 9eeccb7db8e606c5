#include "base/text.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"

namespace laggard {

namespace {
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr std::string_view kBlanks = " \t\r\n";

/// The part [from, to) of `word` that must not be shown; empty when all of it may be.
std::pair<std::size_t, std::size_t> secret_of(std::string_view word) {
  const std::size_t at = word.rfind('@');
  if (at == std::string_view::npos) return {0, 0};
  const std::size_t slashes = word.find("//");
  if (slashes < at) return {slashes + 2, at};
  const std::size_t quoted = std::min(word.find_first_not_of("`'\"([{"), word.size());
  const std::size_t colon = word.find(':');
  const std::size_t before = word.find_first_of("/@");
  return colon < before && colon > quoted ? std::pair{quoted, at} : std::pair<std::size_t, std::size_t>{0, 0};
}
}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string without_passwords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto blank =
        std::find_if(text.begin(), text.end(), [](char c) { return c == ' ' || is_control(c); });
    const std::string_view word = text.substr(0, static_cast<std::size_t>(blank - text.begin()));
    const auto [from, to] = secret_of(word);
    out += word.substr(0, from);
    if (to > from) out += "…";
    out += word.substr(to);
    text.remove_prefix(word.size());
    if (text.empty()) break;
    out.push_back(text.front());
    text.remove_prefix(1);
  }
  return out;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(first);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

namespace {

/// Takes a run of digits off the front of `text`, without its leading zeros.
std::string_view take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

}  // namespace

std::string first_few(std::span<const std::string> names, std::size_t most, std::string_view separator) {
  const auto shown = names.first(std::min(names.size(), most));
  std::string text = fmt::format("{}", fmt::join(shown, separator));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (is_digit(x.front()) && is_digit(y.front())) {
      const std::string_view m = take_number(x);
      const std::string_view n = take_number(y);
      if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
    } else {
      if (x.front() != y.front()) return x.substr(0, 1) < y.substr(0, 1);
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kSuffixes{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kSuffixes.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kSuffixes[unit]);
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t shift = 0;
  if (!text.empty() && !is_digit(text.back())) {
    switch (text.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      case 'T':
        shift = 40;
        break;
      default:
        return std::nullopt;
    }
    text.remove_suffix(1);
  }
  const auto number = to_number<std::uint64_t>(text);
  if (!number || *number > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return *number << shift;
}

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
