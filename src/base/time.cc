#include "base/time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>

namespace laggard {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// A date and a time of day as they are written, in whatever zone.
struct WrittenTime {
  std::chrono::year_month_day date;
  Duration of_day{};
};

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

/// Reads digits after a decimal point; digits past the ninth are dropped.
Duration take_fraction(std::string_view& text) {
  std::int64_t ns = 0;
  std::int64_t unit = kNsPerSecond / 10;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    ns += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return Duration{ns};
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

Result<WallTime> assemble(const WrittenTime& written, Duration offset, std::string_view text) {
  // 1678..2261 is what 64 bits of nanoseconds can hold.
  const int year = static_cast<int>(written.date.year());
  if (!written.date.ok() || year < 1678 || year > 2261) return bad_time(text);
  return within_reach(to_unix_ns(std::chrono::sys_days{written.date} + written.of_day - offset), text);
}

/// `2011-05-09`, or `20110509` without dashes.
bool take_date(std::string_view& text, WrittenTime& written, bool dashes) {
  const int year = take_digits(text, 4);
  if (dashes && !take(text, '-')) return false;
  const int month = take_digits(text, 2);
  if (dashes && !take(text, '-')) return false;
  const int day = take_digits(text, 2);
  if (year < 0 || month < 0 || day < 0) return false;
  written.date = std::chrono::year{year} / month / day;
  return true;
}

/// `00:00:05`, or `000005` without colons. A leap second is the first of the next minute.
bool take_time_of_day(std::string_view& text, WrittenTime& written, bool colons) {
  const int hour = take_digits(text, 2);
  if (colons && !take(text, ':')) return false;
  const int minute = take_digits(text, 2);
  if (colons && !take(text, ':')) return false;
  const int second = take_digits(text, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  written.of_day = std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
  return true;
}

Result<WallTime> parse_iso8601(std::string_view text) {
  std::string_view rest = text;
  WrittenTime written;
  if (!take_date(rest, written, true) || (!take(rest, 'T') && !take(rest, ' '))) return bad_time(text);
  if (!take_time_of_day(rest, written, true)) return bad_time(text);
  if (take(rest, '.') || take(rest, ',')) written.of_day += take_fraction(rest);
  if (rest == "Z" || rest == "z") return assemble(written, {}, text);
  const bool west = take(rest, '-');
  if (!west && !take(rest, '+')) return bad_time(text);
  const int hours = take_digits(rest, 2);
  take(rest, ':');
  const int minutes = rest.empty() ? 0 : take_digits(rest, 2);
  if (hours < 0 || minutes < 0 || hours > 23 || minutes > 59 || !rest.empty()) return bad_time(text);
  const Duration offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return assemble(written, west ? -offset : offset, text);
}

}  // namespace

std::string to_iso8601(WallTime t) {
  const auto second = std::chrono::floor<std::chrono::seconds>(t);
  std::string out = fmt::format("{:%FT%T}", second);
  const std::int64_t ns = (t - second).count();
  if (ns % 1'000 != 0) {
    out += fmt::format(".{:09}", ns);
  } else if (ns % 1'000'000 != 0) {
    out += fmt::format(".{:06}", ns / 1'000);
  } else if (ns != 0) {
    out += fmt::format(".{:03}", ns / 1'000'000);
  }
  return out + "Z";
}

std::string to_file_stamp(WallTime t) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", std::chrono::floor<std::chrono::seconds>(t));
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
  Duration fraction{};
  if (take(rest, '.')) fraction = take_fraction(rest);
  if (!rest.empty()) return bad_time(text);
  const std::int64_t ns = seconds * kNsPerSecond + fraction.count();
  return within_reach(negative ? -ns : ns, text);
}

Result<WallTime> parse_file_stamp(std::string_view text) {
  std::string_view rest = text;
  WrittenTime written;
  if (!take_date(rest, written, false) || !take(rest, 'T') || !take_time_of_day(rest, written, false) ||
      rest != "Z") {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("'{}' is no file stamp such as 20110509T000005Z", text));
  }
  return assemble(written, {}, text);
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
