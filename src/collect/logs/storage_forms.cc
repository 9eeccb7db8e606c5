#include "collect/logs/storage_forms.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "model/log_line.h"

namespace laggard::collect {

namespace {

using severity::kAlert;
using severity::kCritical;
using severity::kDebug;
using severity::kError;
using severity::kInformation;
using severity::kNotice;
using severity::kWarning;

template <std::size_t N>
std::optional<int> severity_of(std::string_view word,
                               const std::array<std::pair<std::string_view, int>, N>& levels) {
  for (const auto& [name, severity] : levels) {
    if (name == word) return severity;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, int>, 7> kLetters{{{"A", kAlert},
                                                                    {"C", kCritical},
                                                                    {"X", kCritical},
                                                                    {"E", kError},
                                                                    {"W", kWarning},
                                                                    {"N", kNotice},
                                                                    {"I", kInformation}}};
constexpr std::array<std::pair<std::string_view, int>, 5> kCephLevels{
    {{"DBG", kDebug}, {"INF", kInformation}, {"WRN", kWarning}, {"ERR", kError}, {"SEC", kAlert}}};
constexpr std::array<std::pair<std::string_view, int>, 7> kBlueGeneLevels{{{"FAILURE", kAlert},
                                                                           {"FATAL", kCritical},
                                                                           {"SEVERE", kCritical},
                                                                           {"ERROR", kError},
                                                                           {"WARNING", kWarning},
                                                                           {"INFO", kInformation},
                                                                           {"DEBUG", kDebug}}};

bool is_hexadecimal(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

WrittenLine line_of(WallTime time, std::string_view program, std::optional<int> severity,
                    std::string_view text) {
  return {.time = time, .host = {}, .program = program, .pid = {}, .severity = severity, .text = text};
}

/// -1 is what also goes to the cluster log and to standard error; other levels say how chatty a line is.
std::optional<WrittenLine> ceph_daemon_line(WallTime time, LogCursor cursor) {
  constexpr std::size_t kShortestThread = 7;
  const std::string_view thread = cursor.take_word();
  const auto level = to_number<int>(cursor.take_word());
  const bool is_one = thread.size() >= kShortestThread && is_hexadecimal(thread) && level && *level >= -1;
  if (!is_one) return std::nullopt;
  return line_of(time, "ceph", *level < 0 ? std::optional(kError) : std::nullopt, cursor.rest());
}

}  // namespace

bool take_ctime(LogCursor& cursor, WrittenMoment& moment) {
  LogCursor ahead = cursor;
  if (!ahead.take_weekday() || !ahead.take(' ')) return false;
  const auto month = ahead.take_month();
  if (!month) return false;
  ahead.skip_blanks();
  const auto day = ahead.take_number(2);
  if (!day || !ahead.take(' ') || !ahead.take_time(':', moment) || !ahead.take(' ')) return false;
  const auto year = ahead.take_number(4);
  if (!year) return false;
  moment.year = static_cast<int>(*year);
  moment.month = *month;
  moment.day = static_cast<int>(*day);
  cursor = ahead;
  return true;
}

WrittenLine gpfs_text(WallTime time, LogCursor cursor) {
  cursor.skip_blanks();
  std::optional<int> severity;
  if (LogCursor level = cursor; level.take('[')) {
    if (const auto letter = level.take_until(']')) {
      severity = severity_of(*letter, kLetters);
      if (severity) cursor = level;
    }
  }
  cursor.skip_blanks();
  return line_of(time, "mmfs", severity, cursor.rest());
}

WrittenLine gluster_text(WallTime time, LogCursor cursor) {
  cursor.skip_blanks();
  const std::string_view letter = cursor.rest().substr(0, std::min<std::size_t>(cursor.rest().find(' '), 2));
  const std::optional<int> severity = severity_of(letter, kLetters);
  if (severity) static_cast<void>(cursor.take_word());
  return line_of(time, "gluster", severity, cursor.rest());
}

std::optional<WrittenLine> ceph_line(WallTime time, LogCursor cursor) {
  cursor.skip_blanks();
  if (auto line = ceph_daemon_line(time, cursor)) return line;
  static_cast<void>(cursor.take_word());
  if (!cursor.take('(') || !cursor.take_until(')') || !cursor.take(' ')) return std::nullopt;
  if (!cursor.take_number(18) || !cursor.take(" : ")) return std::nullopt;
  static_cast<void>(cursor.take_word());  // The channel.
  if (!cursor.take('[')) return std::nullopt;
  const auto level = cursor.take_until(']');
  const auto severity = level ? severity_of(*level, kCephLevels) : std::nullopt;
  if (!severity) return std::nullopt;
  cursor.skip_blanks();
  return line_of(time, "ceph", severity, cursor.rest());
}

std::optional<WrittenLine> lustre_debug_line(LogCursor cursor) {
  for (int field = 0; field < 3; ++field) {
    constexpr std::size_t kLongestField = 8;
    const auto word = cursor.take_until(':');
    if (!word || word->empty() || word->size() > kLongestField) return std::nullopt;
  }
  const auto time = cursor.take_unix_time();
  if (!time || !cursor.take('.')) return std::nullopt;
  const auto microseconds = cursor.take_number(6);
  if (!microseconds || !cursor.take(':')) return std::nullopt;
  const auto stack = cursor.take_until(':');
  const auto pid = cursor.take_number(9);
  if (!stack || !pid || !cursor.take(':') || !cursor.take_until(':') || !cursor.take('('))
    return std::nullopt;
  const auto place = cursor.take_until(' ');
  if (!place) return std::nullopt;
  WrittenLine line =
      line_of(*time + std::chrono::microseconds(*microseconds), "lustre", std::nullopt, cursor.rest());
  line.pid = *pid;
  return line;
}

bool blue_gene_text(LogCursor cursor, WrittenLine& line) {
  WrittenMoment moment;
  if (!cursor.take_date('-', moment) || !cursor.take('-') || !cursor.take_time('.', moment)) return false;
  static_cast<void>(cursor.take(' '));
  static_cast<void>(cursor.take_word());  // The host again.
  static_cast<void>(cursor.take_word());  // RAS: how it was told.
  line.program = cursor.take_word();
  line.severity = severity_of(cursor.take_word(), kBlueGeneLevels);
  line.text = cursor.rest();
  // The seconds before it are UTC and whole, the time is local: its fraction is good for both.
  line.time += moment.of_day % std::chrono::seconds(1);
  return true;
}

std::optional<WrittenLine> lanl_line(LogCursor cursor) {
  if (!cursor.take_number(9) || !cursor.take(' ')) return std::nullopt;
  const std::string_view host = cursor.take_word();
  const std::string_view component = cursor.take_word();
  const std::string_view state_and_more = cursor.rest();  // It may be all that says what `critical` is about.
  static_cast<void>(cursor.take_word());
  const auto time = cursor.take_unix_time();
  if (!time || !cursor.take(' ') || !cursor.take_number(1) || !cursor.take(' ')) return std::nullopt;
  if (host.empty() || component.empty()) return std::nullopt;
  WrittenLine line = line_of(*time, component, std::nullopt, state_and_more);
  line.host = host;
  return line;
}

}  // namespace laggard::collect
