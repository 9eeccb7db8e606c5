#include "collect/logs/log_forms.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "base/text.h"
#include "collect/logs/storage_forms.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kLongestTag = 128;

/// `sshd(pam_unix)[19937]: ` before the text; where there is none everything is text.
void take_tag(LogCursor& cursor, WrittenLine& line) {
  const std::string_view rest = cursor.rest();
  const std::size_t end = rest.substr(0, kLongestTag).find_first_of(": ");
  if (end != std::string_view::npos && rest[end] == ':' && end > 0) {
    std::string_view tag = rest.substr(0, end);
    if (tag.ends_with(']') && tag.find('[') != std::string_view::npos) {
      const std::size_t open = tag.rfind('[');
      line.pid = to_number<std::int64_t>(tag.substr(open + 1, tag.size() - open - 2));
      tag = tag.substr(0, open);
    }
    line.program = tag;
    static_cast<void>(cursor.take(rest.substr(0, end + 1)));
    cursor.skip_blanks();
  }
  line.text = cursor.rest();
}

/// ` fs1 kernel: text`, what follows the time in syslog.
bool take_host_and_tag(LogCursor& cursor, WrittenLine& line) {
  if (!cursor.take(' ')) return false;
  cursor.skip_blanks();
  line.host = cursor.take_word();
  if (line.host.empty() || line.host.ends_with(':')) return false;
  take_tag(cursor, line);
  return true;
}

/// The rest of one `[id key="value"]`: a bracket within quotes does not end it, nor does an escaped quote.
bool take_element(LogCursor& cursor) {
  bool quoted = false;
  while (true) {
    const std::string_view rest = cursor.rest();
    const std::size_t end = rest.find_first_of(quoted ? "\"\\" : "\"]");
    if (end == std::string_view::npos) return false;
    const char found = rest[end];
    const std::size_t taken = end + (found == '\\' ? 2 : 1);
    if (!cursor.take(rest.substr(0, taken)) || taken > rest.size()) return false;
    if (found == ']') return true;
    if (found == '"') quoted = !quoted;
  }
}

/// `[id key="value"]…` or `-`, of RFC 5424 §6.3.
bool take_structured_data(LogCursor& cursor) {
  if (cursor.take('-')) return true;
  if (!cursor.at('[')) return false;
  while (cursor.take('[')) {
    if (!take_element(cursor)) return false;
  }
  return true;
}

std::string_view unless_nil(std::string_view word) { return word == "-" ? std::string_view{} : word; }

}  // namespace

std::optional<WrittenLine> LogForms::parse(std::string_view text) {
  LogCursor cursor(text);
  cursor.skip_blanks();
  if (cursor.rest().empty()) return std::nullopt;
  const char first = cursor.rest().front();
  if (first == '<') return from_priority(cursor);
  if (first == '[') return from_bracket(cursor);
  if (cursor.at_digit()) {
    if (auto line = from_date(cursor)) return line;
    if (auto line = lustre_debug_line(cursor)) return line;
    return lanl_line(cursor);
  }
  if (auto line = from_month(cursor)) return line;
  if (auto line = from_weekday(cursor)) return line;
  return from_label(cursor);
}

std::optional<WrittenLine> LogForms::from_priority(LogCursor cursor) {
  constexpr long long kMostPriority = 191;
  static_cast<void>(cursor.take('<'));
  const auto priority = cursor.take_number(3);
  if (!priority || *priority > kMostPriority || !cursor.take('>')) return std::nullopt;
  LogCursor version = cursor;
  auto line =
      version.take("1 ") ? rfc5424(version) : (cursor.at_digit() ? from_date(cursor) : from_month(cursor));
  if (line) line->severity = static_cast<int>(*priority % 8);
  return line;
}

std::optional<WrittenLine> LogForms::rfc5424(LogCursor cursor) {
  WrittenMoment moment;
  const bool has_time = cursor.take_date('-', moment) && cursor.take('T') && cursor.take_time(':', moment);
  if (!has_time) return std::nullopt;
  cursor.take_zone(moment);
  if (!cursor.take(' ')) return std::nullopt;
  WrittenLine line;
  line.host = unless_nil(cursor.take_word());
  line.program = unless_nil(cursor.take_word());
  line.pid = to_number<std::int64_t>(cursor.take_word());
  static_cast<void>(cursor.take_word());  // The kind of message.
  if (!take_structured_data(cursor)) return std::nullopt;
  static_cast<void>(cursor.take(' '));
  static_cast<void>(cursor.take("\xEF\xBB\xBF"));
  line.text = cursor.rest();
  const auto time = time_of(moment);
  if (!time) return std::nullopt;
  line.time = *time;
  return line;
}

std::optional<WrittenLine> LogForms::from_month(LogCursor cursor) {
  WrittenMoment moment;
  const auto month = cursor.take_month();
  if (!month || !cursor.take(' ')) return std::nullopt;
  cursor.skip_blanks();
  const auto day = cursor.take_number(2);
  if (!day || !cursor.take(' ')) return std::nullopt;
  moment.month = *month;
  moment.day = static_cast<int>(*day);
  // Some routers write the year, too.
  LogCursor with_year = cursor;
  if (const auto year = with_year.take_number(4); year && with_year.take(' ')) {
    moment.year = static_cast<int>(*year);
    cursor = with_year;
  }
  WrittenLine line;
  if (!cursor.take_time(':', moment) || !take_host_and_tag(cursor, line)) return std::nullopt;
  const auto time = time_of(moment);
  if (!time) return std::nullopt;
  line.time = *time;
  return line;
}

/// `Fri Nov 20 19:21:34.123 2026: text`, GPFS before 5.0.2.
std::optional<WrittenLine> LogForms::from_weekday(LogCursor cursor) {
  WrittenMoment moment;
  if (!take_ctime(cursor, moment) || !cursor.take(": ")) return std::nullopt;
  const auto time = time_of(moment);
  if (!time) return std::nullopt;
  return gpfs_text(*time, cursor);
}

/// `[2026-11-20 19:21:34.123456 +0000] W …` of GlusterFS, or `[Fri Nov 20 19:21:34 2026] …` of dmesg -T.
std::optional<WrittenLine> LogForms::from_bracket(LogCursor cursor) {
  static_cast<void>(cursor.take('['));
  WrittenMoment moment;
  if (take_ctime(cursor, moment)) {
    if (!cursor.take(']')) return std::nullopt;
    const auto time = time_of(moment);
    if (!time) return std::nullopt;
    cursor.skip_blanks();
    return WrittenLine{
        .time = *time, .host = {}, .program = "kernel", .pid = {}, .severity = {}, .text = cursor.rest()};
  }
  if (!cursor.take_date('-', moment) || !cursor.take(' ') || !cursor.take_time(':', moment)) {
    return std::nullopt;
  }
  static_cast<void>(cursor.take(' '));
  cursor.take_zone(moment);
  if (!moment.zone) moment.zone = Duration::zero();  // Always UTC before GlusterFS 8 wrote it.
  if (!cursor.take(']')) return std::nullopt;
  const auto time = time_of(moment);
  if (!time) return std::nullopt;
  return gluster_text(*time, cursor);
}

/// What begins with a date: GPFS, Ceph, or syslog with an ISO 8601 time.
std::optional<WrittenLine> LogForms::from_date(LogCursor cursor) {
  WrittenMoment moment;
  if (!cursor.take_date('-', moment)) return std::nullopt;
  const bool is_gpfs = cursor.at('_');
  const bool has_zone = cursor.at('T');
  if (!cursor.take('_') && !cursor.take('T') && !cursor.take(' ')) return std::nullopt;
  if (!cursor.take_time(':', moment)) return std::nullopt;
  cursor.take_zone(moment);
  const auto time = time_of(moment);
  if (!time) return std::nullopt;
  if (is_gpfs) {
    if (!cursor.take(": ")) return std::nullopt;
    return gpfs_text(*time, cursor);
  }
  if (auto line = ceph_line(*time, cursor)) return line;
  WrittenLine line{.time = *time, .host = {}, .program = {}, .pid = {}, .severity = {}, .text = {}};
  if (LogCursor syslog = cursor; has_zone && take_host_and_tag(syslog, line)) return line;
  line.host = {};
  cursor.skip_blanks();
  take_tag(cursor, line);
  return line;
}

/// `- 1117838570 2005.06.03 R02-M1 …`: a label that is `-` for routine, then Unix seconds and a date.
std::optional<WrittenLine> LogForms::from_label(LogCursor cursor) {
  constexpr std::size_t kLongestLabel = 16;
  if (cursor.take_word().size() > kLongestLabel) return std::nullopt;
  const auto time = cursor.take_unix_time();
  WrittenMoment date;
  if (!time || !cursor.take(' ') || !cursor.take_date('.', date) || !cursor.take(' ')) return std::nullopt;
  WrittenLine line;
  line.time = *time;
  line.host = cursor.take_word();
  if (blue_gene_text(cursor, line)) return line;
  WrittenMoment again;
  if (!cursor.take_month() || !cursor.take(' ')) return std::nullopt;
  cursor.skip_blanks();
  if (!cursor.take_number(2) || !cursor.take(' ') || !cursor.take_time(':', again) || !cursor.take(' ')) {
    return std::nullopt;
  }
  static_cast<void>(cursor.take_word());  // The host again, with the network that it logged over.
  take_tag(cursor, line);
  return line;
}

/// A log that says in which year it begins goes on to the next one where months begin anew; else the year is
/// the last one in which the line is not later than the log's end.
int LogForms::year_of(const WrittenMoment& moment) {
  constexpr int kHalfAYear = 6;
  assumed_year_ = true;
  if (times_.year) {
    if (last_month_ && moment.month < *last_month_ - kHalfAYear) ++*times_.year;
    last_month_ = moment.month;
    return *times_.year;
  }
  const std::chrono::year_month_day end{std::chrono::floor<std::chrono::days>(times_.latest)};
  WrittenMoment guess = moment;
  guess.year = static_cast<int>(end.year());
  const auto time = wall_time(guess, times_.zone);
  const bool is_later = !time || *time > times_.latest + std::chrono::days(1);
  return *guess.year - (is_later ? 1 : 0);
}

std::optional<WallTime> LogForms::time_of(WrittenMoment moment) {
  if (!moment.year) moment.year = year_of(moment);
  assumed_zone_ = assumed_zone_ || !moment.zone;
  return wall_time(moment, times_.zone);
}

}  // namespace laggard::collect
