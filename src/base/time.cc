#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>

namespace laggard {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct CivilTime {
  int year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t fraction_ns = 0;
};

CivilTime to_civil(WallTime t) {
  const auto days = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{days};
  std::int64_t rest = (t - days).count();
  CivilTime civil;
  civil.year = static_cast<int>(date.year());
  civil.month = static_cast<unsigned>(date.month());
  civil.day = static_cast<unsigned>(date.day());
  civil.fraction_ns = rest % kNsPerSecond;
  rest /= kNsPerSecond;
  civil.hour = rest / 3600;
  civil.minute = rest / 60 % 60;
  civil.second = rest % 60;
  return civil;
}

/// Takes exactly `width` digits off the front of `text`; -1 when they are not there.
int take_digits(std::string_view& text, std::size_t width) {
  if (text.size() < width) return -1;
  int value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads digits after a decimal point as nanoseconds; digits past the ninth are dropped.
std::int64_t take_fraction(std::string_view& text) {
  std::int64_t ns = 0;
  std::int64_t unit = kNsPerSecond / 10;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    ns += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return ns;
}

tl::unexpected<Error> bad_time(std::string_view text) {
  return fail(ErrorCode::kBadInput, "",
              fmt::format("'{}' is no time; write Unix seconds (1795202494.842) or ISO 8601 with a zone "
                          "(2026-11-20T19:21:34Z)",
                          text));
}

/// Half of what 64 bits of nanoseconds can hold: the difference of two times from outside always fits.
Result<WallTime> within_reach(std::int64_t ns, std::string_view text) {
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 2;
  if (ns >= -kFarthest && ns <= kFarthest) return from_unix_ns(ns);
  return fail(ErrorCode::kBadInput, "",
              fmt::format("'{}' is too far away; times from {} to {} are understood", text,
                          to_iso8601(from_unix_ns(-kFarthest)).substr(0, 10),
                          to_iso8601(from_unix_ns(kFarthest)).substr(0, 10)));
}

Result<WallTime> assemble(const CivilTime& civil, std::int64_t offset_seconds, std::string_view text) {
  const std::chrono::year_month_day date{std::chrono::year{civil.year}, std::chrono::month{civil.month},
                                         std::chrono::day{civil.day}};
  // 1678..2261 is what 64 bits of nanoseconds can hold.
  if (!date.ok() || civil.year < 1678 || civil.year > 2261 || civil.hour > 23 || civil.minute > 59 ||
      civil.second > 60) {
    return bad_time(text);
  }
  const std::int64_t seconds = std::chrono::sys_days{date}.time_since_epoch().count() * std::int64_t{86400} +
                               civil.hour * 3600 + civil.minute * 60 + civil.second - offset_seconds;
  return within_reach(seconds * kNsPerSecond + civil.fraction_ns, text);
}

bool take_date(std::string_view& text, CivilTime& civil, bool dashes) {
  const int year = take_digits(text, 4);
  if (dashes && !take(text, '-')) return false;
  const int month = take_digits(text, 2);
  if (dashes && !take(text, '-')) return false;
  const int day = take_digits(text, 2);
  if (year < 0 || month < 0 || day < 0) return false;
  civil.year = year;
  civil.month = static_cast<unsigned>(month);
  civil.day = static_cast<unsigned>(day);
  return true;
}

bool take_clock(std::string_view& text, CivilTime& civil, bool colons) {
  civil.hour = take_digits(text, 2);
  if (colons && !take(text, ':')) return false;
  civil.minute = take_digits(text, 2);
  if (colons && !take(text, ':')) return false;
  civil.second = take_digits(text, 2);
  return civil.hour >= 0 && civil.minute >= 0 && civil.second >= 0;
}

Result<WallTime> parse_iso8601(std::string_view text) {
  std::string_view rest = text;
  CivilTime civil;
  if (!take_date(rest, civil, true) || (!take(rest, 'T') && !take(rest, ' '))) return bad_time(text);
  if (!take_clock(rest, civil, true)) return bad_time(text);
  if (take(rest, '.') || take(rest, ',')) civil.fraction_ns = take_fraction(rest);
  if (rest == "Z" || rest == "z") return assemble(civil, 0, text);
  const int sign = rest.empty() ? 0 : (rest.front() == '+' ? 1 : (rest.front() == '-' ? -1 : 0));
  if (sign == 0) return bad_time(text);
  rest.remove_prefix(1);
  const std::int64_t hours = take_digits(rest, 2);
  take(rest, ':');
  const std::int64_t minutes = rest.empty() ? 0 : take_digits(rest, 2);
  if (hours < 0 || minutes < 0 || hours > 23 || minutes > 59 || !rest.empty()) return bad_time(text);
  return assemble(civil, sign * (hours * 3600 + minutes * 60), text);
}

}  // namespace

std::string to_iso8601(WallTime t) {
  const CivilTime c = to_civil(t);
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day, c.hour, c.minute, c.second);
  if (c.fraction_ns != 0) {
    if (c.fraction_ns % 1'000'000 == 0) {
      out += fmt::format(".{:03}", c.fraction_ns / 1'000'000);
    } else if (c.fraction_ns % 1'000 == 0) {
      out += fmt::format(".{:06}", c.fraction_ns / 1'000);
    } else {
      out += fmt::format(".{:09}", c.fraction_ns);
    }
  }
  return out + "Z";
}

std::string to_file_stamp(WallTime t) {
  const CivilTime c = to_civil(t);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", c.year, c.month, c.day, c.hour, c.minute, c.second);
}

Result<WallTime> parse_time(std::string_view text) {
  if (text.size() > 5 && text[4] == '-') return parse_iso8601(text);
  std::string_view rest = text;
  const bool negative = take(rest, '-');
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seconds);
  if (error != std::errc{} || end == rest.data() || seconds < 0 ||
      seconds > std::numeric_limits<std::int64_t>::max() / kNsPerSecond - 1) {
    return bad_time(text);
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  std::int64_t fraction = 0;
  if (take(rest, '.')) fraction = take_fraction(rest);
  if (!rest.empty()) return bad_time(text);
  const std::int64_t ns = seconds * kNsPerSecond + fraction;
  return within_reach(negative ? -ns : ns, text);
}

Result<WallTime> parse_file_stamp(std::string_view text) {
  std::string_view rest = text;
  CivilTime civil;
  if (!take_date(rest, civil, false) || !take(rest, 'T') || !take_clock(rest, civil, false) || rest != "Z") {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("'{}' is no file stamp such as 20110509T000005Z", text));
  }
  return assemble(civil, 0, text);
}

namespace {

struct Unit {
  std::string_view suffix;
  std::int64_t ns;
};
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"ms", 1'000'000},
                                      {"s", kNsPerSecond},
                                      {"m", 60 * kNsPerSecond},
                                      {"h", 3600 * kNsPerSecond},
                                      {"d", 86400 * kNsPerSecond},
                                      {"w", 604800 * kNsPerSecond}}};

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::kBadUse, "",
                fmt::format("'{}' is no duration; write for example 500ms, 15s, 10m, 2h or 30d", text));
  };
  std::string_view rest = text;
  double total = 0;
  if (rest.empty()) return bad();
  while (!rest.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{} || number < 0) return bad();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t letters = std::min(rest.find_first_of("0123456789."), rest.size());
    const std::string_view suffix = rest.substr(0, letters);
    rest.remove_prefix(letters);
    if (suffix.empty() && rest.empty()) {
      total += number * static_cast<double>(kNsPerSecond);
      break;
    }
    bool known = false;
    for (const Unit& unit : kUnits) {
      if (unit.suffix != suffix) continue;
      total += number * static_cast<double>(unit.ns);
      known = true;
    }
    if (!known) return bad();
  }
  if (!(total < 9e18)) return bad();
  return Duration{std::llround(total)};
}

std::string to_text(Duration d) {
  std::int64_t ns = d.count();
  if (ns == 0) return "0s";
  if (ns < 0) return "-" + to_text(Duration{-ns});
  std::string out;
  for (std::size_t i = kUnits.size() - 1; i-- > 0;) {  // weeks are read but not written
    const std::int64_t whole = ns / kUnits[i].ns;
    if (whole == 0) continue;
    out += fmt::format("{}{}", whole, kUnits[i].suffix);
    ns -= whole * kUnits[i].ns;
  }
  return out;
}

WallTime SystemClock::wall() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

MonoTime SystemClock::mono() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

Duration SystemClock::suspended() {
  timespec mono{};
  timespec boot{};
  if (::clock_gettime(CLOCK_MONOTONIC, &mono) != 0 || ::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return {};
  return std::chrono::seconds(boot.tv_sec - mono.tv_sec) + Duration(boot.tv_nsec - mono.tv_nsec);
}

void SystemClock::sleep_until(MonoTime deadline) {
  const std::int64_t ns = deadline.time_since_epoch().count();
  timespec until{};
  until.tv_sec = ns / 1'000'000'000;
  until.tv_nsec = ns % 1'000'000'000;
  // An interrupted sleep returns early on purpose, so that the caller can look at its stop flag.
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace laggard
