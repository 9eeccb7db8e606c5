#include "collect/logs/log_cursor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace laggard::collect {

namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

}  // namespace

std::optional<WallTime> wall_time(const WrittenMoment& moment, Duration zone) {
  namespace chrono = std::chrono;
  if (!moment.year || *moment.year < 1970 || *moment.year > 2100) return std::nullopt;
  const chrono::year_month_day date{chrono::year{*moment.year},
                                    chrono::month{static_cast<unsigned>(moment.month)},
                                    chrono::day{static_cast<unsigned>(moment.day)}};
  if (!date.ok()) return std::nullopt;
  const WallTime time =
      WallTime{chrono::sys_days{date}.time_since_epoch()} + moment.of_day - moment.zone.value_or(zone);
  if (to_unix_ns(time) < 0 || time >= kLatestTime) return std::nullopt;
  return time;
}

bool LogCursor::take(char c) {
  if (!at(c)) return false;
  rest_.remove_prefix(1);
  return true;
}

bool LogCursor::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

void LogCursor::skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

std::optional<long long> LogCursor::take_number(std::size_t most) {
  long long number = 0;
  std::size_t i = 0;
  for (; i < rest_.size() && i < most && rest_[i] >= '0' && rest_[i] <= '9'; ++i) {
    number = 10 * number + (rest_[i] - '0');
  }
  if (i == 0) return std::nullopt;
  rest_.remove_prefix(i);
  return number;
}

std::optional<int> LogCursor::take_digits(std::size_t count) {
  LogCursor ahead = *this;
  const std::size_t before = rest_.size();
  const auto number = ahead.take_number(count);
  if (!number || before - ahead.rest_.size() != count) return std::nullopt;
  *this = ahead;
  return static_cast<int>(*number);
}

std::string_view LogCursor::take_word() {
  const std::size_t end = std::min(rest_.find(' '), rest_.size());
  const std::string_view word = rest_.substr(0, end);
  rest_.remove_prefix(end);
  skip_blanks();
  return word;
}

std::optional<std::string_view> LogCursor::take_until(char end) {
  const std::size_t found = rest_.find(end);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view piece = rest_.substr(0, found);
  rest_.remove_prefix(found + 1);
  return piece;
}

std::optional<WallTime> LogCursor::take_unix_time() {
  constexpr std::int64_t kNsOfSecond = 1'000'000'000;
  constexpr std::int64_t kEnd = to_unix_ns(kLatestTime) / kNsOfSecond;
  LogCursor ahead = *this;
  const auto seconds = ahead.take_number(10);
  if (!seconds || *seconds >= kEnd) return std::nullopt;
  *this = ahead;
  return from_unix_ns(*seconds * kNsOfSecond);
}

std::optional<int> LogCursor::take_month() {
  const auto found = std::ranges::find(kMonths, rest_.substr(0, 3));
  if (found == kMonths.end()) return std::nullopt;
  rest_.remove_prefix(3);
  return static_cast<int>(found - kMonths.begin()) + 1;
}

bool LogCursor::take_weekday() {
  if (std::ranges::find(kWeekdays, rest_.substr(0, 3)) == kWeekdays.end()) return false;
  rest_.remove_prefix(3);
  return true;
}

bool LogCursor::take_date(char separator, WrittenMoment& moment) {
  LogCursor ahead = *this;
  const auto year = ahead.take_digits(4);
  if (!year || !ahead.take(separator)) return false;
  const auto month = ahead.take_digits(2);
  if (!month || !ahead.take(separator)) return false;
  const auto day = ahead.take_digits(2);
  if (!day) return false;
  moment.year = *year;
  moment.month = *month;
  moment.day = *day;
  *this = ahead;
  return true;
}

bool LogCursor::take_time(char separator, WrittenMoment& moment) {
  LogCursor ahead = *this;
  const auto hour = ahead.take_digits(2);
  if (!hour || !ahead.take(separator)) return false;
  const auto minute = ahead.take_digits(2);
  if (!minute || !ahead.take(separator)) return false;
  const auto second = ahead.take_digits(2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return false;
  moment.of_day = std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  LogCursor fraction = ahead;
  if ((fraction.take('.') || fraction.take(',')) && fraction.at_digit()) {
    for (std::int64_t unit = 100'000'000; fraction.at_digit(); unit /= 10) {
      moment.of_day += Duration{unit * (fraction.rest_.front() - '0')};
      fraction.rest_.remove_prefix(1);
    }
    ahead = fraction;
  }
  *this = ahead;
  return true;
}

void LogCursor::take_zone(WrittenMoment& moment) {
  LogCursor ahead = *this;
  if (ahead.take('Z')) {
    moment.zone = Duration::zero();
    *this = ahead;
    return;
  }
  const int sign = ahead.at('-') ? -1 : 1;
  if (!ahead.take('+') && !ahead.take('-')) return;
  const auto hours = ahead.take_digits(2);
  static_cast<void>(ahead.take(':'));
  const auto minutes = ahead.take_digits(2);
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return;
  moment.zone = sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
  *this = ahead;
}

}  // namespace laggard::collect
