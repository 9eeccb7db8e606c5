#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laggard {

/// Whether it is a control character of ASCII.
[[nodiscard]] constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

/// The pieces of `text` between separators; empty pieces are kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

[[nodiscard]] std::string_view trim(std::string_view text);

/// Takes the next run of non-blanks off the front of `text`; empty at the end.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// The whole of `text` as a number, locale-free; nothing else may follow.
template <typename Number>
[[nodiscard]] std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// `text` without credentials: in a word such as `http://user:password@host` or `user:password@host`, the
/// user and password become `…`. This is the last line of defence for words that turn up where
/// nobody expects a URL; where a text is known to be one, show `ServerUrl::shown()`.
[[nodiscard]] std::string without_passwords(std::string_view text);

/// Shell-style match of the whole of `text`: `*`, `?` and `[a-z]` sets.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

/// The first `most` names and how many more there are: `sda, sdb and 7 more`.
[[nodiscard]] std::string first_few(std::span<const std::string> names, std::size_t most,
                                    std::string_view separator = ", ");

/// Natural order: sd2 before sd10, fs9 before fs10; ties are broken bytewise.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// `1.2 GB`, `310 kB`, `17 B`.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// 1234567 -> `1,234,567`
[[nodiscard]] std::string with_separators(std::uint64_t number);

/// `10G`, `500M`, `4k` (binary multiples) or a plain number of bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// Takes the next line off the front of `text`, without its newline.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// Reads numbers separated by blanks into `values`, at most `values.size()` (<= 32) of them.
/// \return a mask of the places that were read. A word that is no unsigned 64-bit number, such as the
///         negative counters of some kernels, leaves its place out and does not shift the others.
[[nodiscard]] std::uint32_t read_numbers(std::string_view text, std::span<std::uint64_t> values);

}  // namespace laggard
