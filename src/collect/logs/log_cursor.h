#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace laggard::collect {

/// A date and a time of day as a log writes them, before anything is known of the year or the zone.
struct WrittenMoment {
  std::optional<int> year;
  int month = 0;
  int day = 0;
  Duration of_day{};
  std::optional<Duration> zone;  ///< East of Greenwich.
};

/// When that was; nothing for a date that does not exist, or outside of 1970 to 2100. Requires a year.
/// \param zone  of a moment that names none.
[[nodiscard]] std::optional<WallTime> wall_time(const WrittenMoment& moment, Duration zone);

/// Reads a line from its front. What does not fit leaves the rest as it was.
class LogCursor {
 public:
  explicit LogCursor(std::string_view line) : rest_(line) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  [[nodiscard]] bool at_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }

  [[nodiscard]] bool take(char c);
  [[nodiscard]] bool take(std::string_view text);
  void skip_blanks();
  /// 1 to `most` digits.
  [[nodiscard]] std::optional<long long> take_number(std::size_t most);
  /// What stands before the next blank, which is taken, too; empty at the end.
  [[nodiscard]] std::string_view take_word();
  /// The same up to `end`, which must be there.
  [[nodiscard]] std::optional<std::string_view> take_until(char end);

  /// Whole seconds, before the year 2100.
  [[nodiscard]] std::optional<WallTime> take_unix_time();
  /// `Jan` to `Dec`.
  [[nodiscard]] std::optional<int> take_month();
  /// `Mon` to `Sun`.
  [[nodiscard]] bool take_weekday();
  /// `2026-11-20`, with that separator.
  [[nodiscard]] bool take_date(char separator, WrittenMoment& moment);
  /// `19:21:34` with a fraction or none, with that separator.
  [[nodiscard]] bool take_time(char separator, WrittenMoment& moment);
  /// `Z`, `+0100`, `-05:30`; nothing is taken where there is no zone.
  void take_zone(WrittenMoment& moment);

 private:
  /// Exactly so many digits.
  [[nodiscard]] std::optional<int> take_digits(std::size_t count);

  std::string_view rest_;
};

}  // namespace laggard::collect
