#include "collect/import/perf/perf_capture.h"

#include <cstddef>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// `Fri Nov 27 22:15:28 2026`, as C's ctime writes it.
std::optional<WrittenMoment> read_ctime(std::string_view text) {
  LogCursor cursor(text);
  WrittenMoment moment;
  if (!cursor.take_weekday()) return std::nullopt;
  cursor.skip_blanks();
  const std::optional<int> month = cursor.take_month();
  cursor.skip_blanks();
  const std::optional<long long> day = cursor.take_number(2);
  cursor.skip_blanks();
  if (!month || !day || !cursor.take_time(':', moment)) return std::nullopt;
  cursor.skip_blanks();
  const std::optional<long long> year = cursor.take_number(4);
  if (!year) return std::nullopt;
  moment.year = static_cast<int>(*year);
  moment.month = *month;
  moment.day = static_cast<int>(*day);
  return moment;
}

/// `624.547190`, seconds since boot.
std::optional<Duration> read_moment(std::string_view text) {
  const std::optional<double> seconds = to_number<double>(text);
  const double end = to_seconds(kLatestTime.time_since_epoch());
  if (!seconds || !(*seconds >= 0 && *seconds < end)) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
}

/// `   12.34%  dd  [kernel]  [k] copy_page`
bool is_report_row(std::string_view line) {
  const std::string_view word = take_word(line);
  return word.ends_with('%') && to_number<double>(word.substr(0, word.size() - 1));
}

}  // namespace

void read_capture(std::string_view line, PerfCapture& capture) {
  if (!line.starts_with('#')) return;
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return;
  const std::string_view name = trim(line.substr(1, colon - 1));
  const std::string_view value = trim(line.substr(colon + 3));
  if (name == "captured on") capture.captured = read_ctime(value);
  if (name == "time of last sample") capture.last_sample = read_moment(value);
  if (name == "hostname") capture.host = value;
}

Status check_perf_script(std::string_view line) {
  const auto refuse = [](const char* what) { return fail(ErrorCode::kBadInput, "", what); };
  if (line.starts_with("PERFILE2") || line.starts_with("PERFFILE") || line.starts_with("2ELIFREP")) {
    return refuse("is perf's own recording; write it as text: perf script --header -i FILE > FILE.txt");
  }
  if (line.starts_with("# Overhead") || line.starts_with("# Samples: ") || is_report_row(line)) {
    return refuse("is of perf report, which adds samples up; have perf script --header write them instead");
  }
  if (line.find("Performance counter stats for") != std::string_view::npos) {
    return refuse(
        "is of perf stat, which only counts; take samples with perf record -g and write them with perf "
        "script "
        "--header");
  }
  return {};
}

}  // namespace laggard::collect
