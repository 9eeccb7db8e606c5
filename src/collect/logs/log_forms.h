#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "collect/logs/log_cursor.h"

namespace laggard::collect {

/// A line of a log, taken apart. Views are of the line.
struct WrittenLine {
  WallTime time;
  std::string_view host;     ///< Empty where the form names none.
  std::string_view program;  ///< The same.
  std::optional<std::int64_t> pid;
  std::optional<int> severity;  ///< As in syslog: 0 emergency to 7 debug.
  std::string_view text;
};

/// What is known of the times of a log beside what its lines say.
struct LogTimes {
  Duration zone{};          ///< East of Greenwich, of times that name none.
  std::optional<int> year;  ///< In which the log begins, where lines name none.
  /// No line is later than a day after this: without `year` it says which year is meant.
  WallTime latest = kLatestTime;
};

/// Takes the lines of one log apart, whatever mixture of these forms they are in:
///
/// - syslog of RFC 3164 (`Nov 20 19:21:34 fs1 kernel: …`) and RFC 5424, with or without a priority, and with
///   an ISO 8601 time as rsyslog and journalctl write it;
/// - the kernel's own (`[Fri Nov 20 19:21:34 2026] …`, dmesg -T) and Lustre's debug log (lctl dk);
/// - GPFS' mmfs.log, old and new; Ceph's daemons and its cluster log; GlusterFS;
/// - logs of the failure data repositories (BGL, Thunderbird, LANL), with a label and a Unix time.
///
/// A line without a time of its own is none: what goes on a line of a stack trace, a banner.
class LogForms {
 public:
  explicit LogForms(const LogTimes& times) : times_(times) {}

  [[nodiscard]] std::optional<WrittenLine> parse(std::string_view line);

  /// Whether times of lines so far named no zone, or no year.
  [[nodiscard]] bool assumed_zone() const { return assumed_zone_; }
  [[nodiscard]] bool assumed_year() const { return assumed_year_; }

 private:
  [[nodiscard]] std::optional<WrittenLine> from_priority(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> from_month(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> from_weekday(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> from_bracket(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> from_date(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> from_label(LogCursor cursor);
  [[nodiscard]] std::optional<WrittenLine> rfc5424(LogCursor cursor);

  /// Fills in what the moment does not say.
  [[nodiscard]] std::optional<WallTime> time_of(WrittenMoment moment);
  [[nodiscard]] int year_of(const WrittenMoment& moment);

  LogTimes times_;
  bool assumed_zone_ = false;
  bool assumed_year_ = false;
  std::optional<int> last_month_;  ///< Of the line before, where lines name no year.
};

}  // namespace laggard::collect
