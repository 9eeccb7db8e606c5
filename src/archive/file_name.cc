#include "archive/file_name.h"

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

constexpr std::string_view kHiddenSuffix = ".new";
constexpr char kBeforeRecorder = '+';  ///< In no escaped host.

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::optional<WriterName> parse_prefix(std::string_view prefix) {
  const std::size_t plus = std::min(prefix.find(kBeforeRecorder), prefix.size());
  const std::string_view recorder = prefix.substr(std::min(plus + 1, prefix.size()));
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (plus < prefix.size() && (recorder.empty() || !std::ranges::all_of(recorder, is_lower)))
    return std::nullopt;
  std::optional<std::string> host = unescape(prefix.substr(0, plus));
  if (!host || host->empty()) return std::nullopt;
  return WriterName{.host = std::move(*host), .recorder = std::string(recorder)};
}

}  // namespace

std::string escape_host(std::string_view host) {
  std::string out;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_plain(host[i]) && (i > 0 || host[i] != '.')) {
      out += host[i];
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(host[i]));
    }
  }
  return out;
}

std::string to_prefix(const WriterName& writer) {
  const std::string host = escape_host(writer.host);
  return writer.recorder.empty() ? host : fmt::format("{}{}{}", host, kBeforeRecorder, writer.recorder);
}

std::string to_file_name(const FileName& name) {
  const std::string copy = name.copy > 1 ? fmt::format("-{}", name.copy) : "";
  return fmt::format("{}-{}{}{}", to_prefix(name.writer), to_file_stamp(name.start), copy, kFileSuffix);
}

std::optional<FileName> parse_file_name(std::string_view name) {
  constexpr std::size_t kStampSize = 16;  // 20110509T000005Z
  if (!name.ends_with(kFileSuffix)) return std::nullopt;
  name.remove_suffix(kFileSuffix.size());
  FileName parsed;
  if (!name.ends_with('Z')) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const std::optional<int> copy = to_number<int>(name.substr(dash + 1));
    if (!copy || *copy < 2) return std::nullopt;
    parsed.copy = *copy;
    name = name.substr(0, dash);
  }
  if (name.size() < kStampSize + 2 || name[name.size() - kStampSize - 1] != '-') return std::nullopt;
  const Result<WallTime> start = parse_file_stamp(name.substr(name.size() - kStampSize));
  std::optional<WriterName> writer = parse_prefix(name.substr(0, name.size() - kStampSize - 1));
  if (!start || !writer) return std::nullopt;
  parsed.start = *start;
  parsed.writer = std::move(*writer);
  return parsed;
}

bool stays_in_day(WallTime t, std::int64_t open_day) {
  const std::int64_t day = recording_day(t);
  return day == open_day || (day < open_day && recording_day(t + kRotation) == open_day);
}

std::filesystem::path hidden_path(const std::filesystem::path& path) {
  return path.parent_path() / fmt::format(".{}{}", path.filename().string(), kHiddenSuffix);
}

std::optional<std::filesystem::path> path_of_hidden(const std::filesystem::path& hidden) {
  const std::string name = hidden.filename().string();
  if (!name.starts_with('.') || !name.ends_with(kHiddenSuffix)) return std::nullopt;
  const std::string own = name.substr(1, name.size() - 1 - kHiddenSuffix.size());
  if (!parse_file_name(own)) return std::nullopt;
  return hidden.parent_path() / own;
}

namespace {

using namespace std::string_view_literals;

bool begins_as_any(std::string_view begin, std::span<const std::string_view> magics) {
  return std::ranges::any_of(magics, [&](std::string_view magic) { return begin.starts_with(magic); });
}

/// Recognises gzip, xz, zstd, bzip2, lz4, compress and zip by their first bytes, tar by its magic.
bool is_packed(std::string_view begin) {
  constexpr std::array kMagics{"\x1f\x8b"sv, "\xfd\x37zXZ"sv,      "\x28\xb5\x2f\xfd"sv, "BZh"sv,
                               "\x1f\x9d"sv, "\x04\x22\x4d\x18"sv, "PK\x03\x04"sv};
  constexpr std::size_t kTarMark = 257;
  return begins_as_any(begin, kMagics) || begin.substr(std::min(kTarMark, begin.size())).starts_with("ustar");
}

/// Recognises SYSSTAT_MAGIC, 0xd596, in either byte order.
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
