#include "archive/foreign_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

#include "archive/format.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

using namespace std::string_view_literals;

bool begins_as_any(std::string_view begin, std::span<const std::string_view> magics) {
  return std::ranges::any_of(magics, [&](std::string_view magic) { return begin.starts_with(magic); });
}

/// gzip, xz, zstd, bzip2, lz4, compress and zip by their first bytes, tar by its mark.
bool is_packed(std::string_view begin) {
  constexpr std::array kMagics{"\x1f\x8b"sv, "\xfd\x37zXZ"sv,      "\x28\xb5\x2f\xfd"sv, "BZh"sv,
                               "\x1f\x9d"sv, "\x04\x22\x4d\x18"sv, "PK\x03\x04"sv};
  constexpr std::size_t kTarMark = 257;
  return begins_as_any(begin, kMagics) || begin.substr(std::min(kTarMark, begin.size())).starts_with("ustar");
}

/// SYSSTAT_MAGIC, 0xd596, of a machine of either byte order.
bool is_sysstat(std::string_view begin) {
  constexpr std::array kMagics{"\x96\xd5"sv, "\xd5\x96"sv};
  return begins_as_any(begin, kMagics);
}

bool is_text(std::string_view begin) {
  return std::ranges::none_of(begin, [](char c) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == '\f';
    return is_control(c) && !blank;
  });
}

std::string what_it_is(std::string_view begin) {
  if (begin.empty()) return "is no recording, it is empty";
  if (is_sysstat(begin))
    return "is no recording but a file of sysstat; 'laggard import sysstat' makes one of it";
  if (is_packed(begin)) {
    return "is no recording but a packed file; 'laggard import csv' or 'laggard import sysstat' makes one of "
           "what is "
           "in it";
  }
  if (is_text(begin)) return "is no recording but a text; 'laggard import csv' makes one of a CSV file";
  return "is no recording of laggard";
}

}  // namespace

std::optional<std::string> why_no_recording(const std::filesystem::path& path) {
  constexpr std::string_view kDatabase = "SQLite format 3"sv;
  std::error_code error;
  if (path.filename().string().ends_with(kFileSuffix)) return std::nullopt;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::array<char, 512> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  file.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(file.gcount()));
  if (begin.starts_with(kDatabase)) return std::nullopt;
  return what_it_is(begin);
}

}  // namespace laggard::archive
