#include "collect/import/csv/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes 1 to `most` digits off the text.
std::optional<int> take_number(std::string_view& text, std::size_t most) {
  int number = 0;
  std::size_t i = 0;
  for (; i < text.size() && i < most && is_digit(text[i]); ++i) number = 10 * number + (text[i] - '0');
  if (i == 0) return std::nullopt;
  text.remove_prefix(i);
  return number;
}

/// Behind the seconds: `.5`, `,250`.
std::int64_t take_fraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return 0;
  text.remove_prefix(1);
  std::int64_t ns = 0;
  for (std::int64_t unit = kSecond / 10; !text.empty() && is_digit(text.front()); unit /= 10) {
    ns += (text.front() - '0') * unit;
    text.remove_prefix(1);
  }
  return ns;
}

std::optional<Duration> take_zone(std::string_view& text) {
  if (!text.empty() && text.front() == 'Z') {
    text.remove_prefix(1);
    return Duration::zero();
  }
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take_number(text, 2);
  if (!text.empty() && text.front() == ':') text.remove_prefix(1);
  const auto minutes = take_number(text, 2).value_or(0);
  if (!hours || *hours > 14 || minutes > 59) return std::nullopt;
  return sign * (std::chrono::hours(*hours) + std::chrono::minutes(minutes));
}

struct Fields {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t ns = 0;
  std::optional<Duration> zone;
};

bool take_field(char what, std::string_view& text, Fields& fields) {
  const auto take = [&](int& into, std::size_t most) {
    const auto number = take_number(text, most);
    if (number) into = *number;
    return number.has_value();
  };
  switch (what) {
    case 'Y':
      return take(fields.year, 4);
    case 'y': {
      const bool taken = take(fields.year, 2);
      fields.year += 2000;
      return taken;
    }
    case 'm':
      return take(fields.month, 2);
    case 'd':
      return take(fields.day, 2);
    case 'H':
      return take(fields.hour, 2);
    case 'M':
      return take(fields.minute, 2);
    case 'S': {
      const bool taken = take(fields.second, 2);
      fields.ns = take_fraction(text);
      return taken;
    }
    case 'z':
      fields.zone = take_zone(text);
      return fields.zone.has_value();
    default:
      return false;
  }
}

std::optional<Fields> match(std::string_view text, std::string_view format) {
  Fields fields;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size() && format[i + 1] != '%') {
      if (!take_field(format[++i], text, fields)) return std::nullopt;
      continue;
    }
    if (format[i] == '%') ++i;
    if (text.empty() || text.front() != format[std::min(i, format.size() - 1)]) return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  return fields;
}

std::optional<WallTime> to_time(const Fields& fields, const CsvTimes& times) {
  namespace chrono = std::chrono;
  const chrono::year_month_day date{chrono::year{fields.year},
                                    chrono::month{static_cast<unsigned>(fields.month)},
                                    chrono::day{static_cast<unsigned>(fields.day)}};
  const bool in_range = date.ok() && fields.year >= 1970 && fields.year < 2200 && fields.hour < 24 &&
                        fields.minute < 60 && fields.second < 61;
  if (!in_range) return std::nullopt;
  const std::int64_t days = chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + fields.hour) * 60 + fields.minute) * 60 + fields.second;
  return from_unix_ns(seconds * kSecond + fields.ns) - fields.zone.value_or(times.zone.value_or(Duration{}));
}

/// Nanoseconds of one unit of Unix times; 0 for a pattern.
std::int64_t unix_unit(std::string_view format) {
  if (format == "s") return kSecond;
  if (format == "ms") return 1'000'000;
  if (format == "us") return 1000;
  return format == "ns" ? 1 : 0;
}

/// Digits with a fraction, in units of so many nanoseconds.
std::optional<std::int64_t> in_units(std::string_view text, std::int64_t unit) {
  std::int64_t whole = 0;
  std::size_t i = 0;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / unit;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (whole > (most - 9) / 10) return std::nullopt;
    whole = 10 * whole + (text[i] - '0');
  }
  if (i == 0) return std::nullopt;
  std::int64_t ns = whole * unit;
  if (i == text.size()) return ns;
  if (text[i] != '.' && text[i] != ',') return std::nullopt;
  for (std::int64_t part = unit / 10; ++i < text.size(); part /= 10) {
    if (!is_digit(text[i])) return std::nullopt;
    ns += (text[i] - '0') * part;
  }
  return ns;
}

/// Unix seconds as plain digits with at most nine digits of fraction, which is how nearly all times are
/// written. Nothing beyond the year 2262, where nanoseconds end: `parse_time` refuses those.
std::optional<std::int64_t> plain_seconds(std::string_view text) {
  constexpr std::size_t kMostDigits = 10;
  constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  std::int64_t seconds = 0;
  std::size_t i = 0;
  for (; i < text.size() && i <= kMostDigits && text[i] >= '0' && text[i] <= '9'; ++i) {
    seconds = seconds * 10 + (text[i] - '0');
  }
  if (i == 0 || i > kMostDigits || seconds > kMostSeconds) return std::nullopt;
  std::int64_t ns = seconds * 1'000'000'000;
  if (i == text.size()) return ns;
  if (text[i++] != '.' || i == text.size() || text.size() - i > 9) return std::nullopt;
  std::int64_t unit = 100'000'000;
  for (; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    ns += (text[i] - '0') * unit;
  }
  return ns;
}

/// By the number of digits, which no Unix time in seconds before the year 2286 has.
std::int64_t unit_to_be_seen(std::string_view text) {
  if (!std::ranges::all_of(text, is_digit)) return 0;
  if (text.size() == 13) return 1'000'000;
  if (text.size() == 16) return 1000;
  return text.size() == 19 ? 1 : 0;
}

/// `2026-11-20 19:21:34` as `2026-11-20T19:21:34`: digits, a blank or T, digits and what follows.
bool names_no_zone(std::string_view text) {
  return text.size() >= 16 && text[4] == '-' && text[7] == '-' && (text[10] == ' ' || text[10] == 'T') &&
         std::ranges::all_of(text.substr(11), [](char c) { return is_digit(c) || c == ':' || c == '.'; });
}

std::optional<WallTime> as_written(std::string_view text, const CsvTimes& times, std::string& why) {
  if (const std::int64_t unit = unix_unit(times.format); unit > 0) {
    if (const auto ns = in_units(text, unit)) return from_unix_ns(*ns);
    why = fmt::format("'{}' is no Unix time in {}", text, times.format);
    return std::nullopt;
  }
  if (!times.format.empty()) {
    const auto fields = match(text, times.format);
    if (const auto time = fields ? to_time(*fields, times) : std::nullopt) return time;
    why = fmt::format("'{}' is no time like '{}'", text, times.format);
    return std::nullopt;
  }
  if (const std::int64_t unit = unit_to_be_seen(text); unit > 0) {
    if (const auto ns = in_units(text, unit)) return from_unix_ns(*ns);
  }
  if (names_no_zone(text) && times.zone) {
    std::string iso(text);
    iso[10] = 'T';
    if (const Result<WallTime> time = parse_time(iso + "Z")) return *time - *times.zone;
  }
  const Result<WallTime> parsed = parse_time(text);
  if (parsed) return *parsed;
  why = parsed.error().what;
  why += names_no_zone(text) ? ", or say with --tz which zone they are in (--tz +01:00)"
                             : ", or say with --time-format how times are written";
  return std::nullopt;
}

}  // namespace

Result<Duration> parse_zone(std::string_view text) {
  std::string_view rest = text;
  if (text == "UTC") return Duration::zero();
  const auto zone = take_zone(rest);
  if (zone && rest.empty()) return *zone;
  return fail(ErrorCode::kBadUse, "--tz",
              fmt::format("'{}' is no distance from UTC, such as +01:00; a zone's name means another one in "
                          "summer",
                          text));
}

Status check_format(std::string_view format) {
  if (format.empty() || unix_unit(format) > 0) return {};
  const auto has = [&](std::string_view field) { return format.find(field) != std::string_view::npos; };
  if ((has("%Y") || has("%y")) && has("%m") && has("%d") && has("%H") && has("%M")) return {};
  return fail(
      ErrorCode::kBadUse, "--time-format",
      fmt::format("'{}' is none of s, ms, us and ns, and no pattern such as '%d.%m.%Y %H:%M:%S'", format));
}

std::optional<WallTime> parse_moment(std::string_view text, const CsvTimes& times, std::string& why) {
  constexpr std::int64_t kEnd = to_unix_ns(kLatestTime);
  text = trim(text);
  if (times.format.empty()) {
    if (const auto ns = plain_seconds(text); ns && *ns < kEnd) return from_unix_ns(*ns);
  }
  const std::optional<WallTime> time = as_written(text, times, why);
  if (!time) return std::nullopt;
  if (to_unix_ns(*time) >= 0 && to_unix_ns(*time) < kEnd) return time;
  why = fmt::format("time `{}` is outside of 1970 to 2100", text);
  return std::nullopt;
}

}  // namespace laggard::collect
