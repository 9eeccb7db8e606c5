#include "collect/import/logs/import.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"
#include "collect/logs/journal.h"
#include "collect/logs/log_forms.h"
#include "model/log_line.h"

namespace laggard::collect {

namespace {

/// Lines that are gathered before they go to the sink, of all hosts together.
constexpr std::size_t kMostWaiting = std::size_t{1} << 16;
constexpr std::size_t kLongestHost = 255;

/// When the file was written last, which no line of it is later than.
std::optional<WallTime> written(const std::filesystem::path& file) {
  struct stat found {};
  if (file == "-" || ::stat(file.c_str(), &found) != 0) return std::nullopt;
  return from_unix_ns(found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec);
}

class LogImport {
 public:
  LogImport(const LogImportOptions& options, ObservationSink& sink, ImportObserver& observer,
            const UnpackLimits& limits)
      : options_(options), sink_(sink), observer_(observer), limits_(limits) {}

  [[nodiscard]] Status run(std::span<const std::filesystem::path> files);
  [[nodiscard]] LogImportResult finish();

 private:
  /// Lines of one host that wait.
  struct Waiting {
    explicit Waiting(const std::string& host)
        : table(std::make_unique<EventTable>(host, std::string(kLogKind))), appender(*table) {}
    std::unique_ptr<EventTable> table;
    LogAppender appender;
  };

  [[nodiscard]] Status read_file(const std::filesystem::path& file);
  [[nodiscard]] Status read_member(Members& members, const LogTimes& times);
  [[nodiscard]] Status read_lines(LineReader& lines, LogForms& forms);
  [[nodiscard]] Status read_line(std::string_view text, LogForms& forms);
  [[nodiscard]] Status read_journal(std::string_view first, LineReader& lines);
  /// Takes a line, or nothing where there was none.
  [[nodiscard]] Status take(const std::optional<WrittenLine>& line);
  [[nodiscard]] Status put(const std::string& host, const LogLine& line);
  [[nodiscard]] Status flush();
  void report(const Members& members);
  void tell_assumptions(const std::string& where, const LogForms& forms);

  const LogImportOptions& options_;
  ObservationSink& sink_;
  ImportObserver& observer_;
  UnpackLimits limits_;
  ImportState state_;
  LogImportResult result_;
  std::uint64_t done_ = 0;  ///< Bytes of the files that are finished.
  std::map<std::string, Waiting, std::less<>> waiting_;
  std::size_t lines_waiting_ = 0;
  std::set<std::string> hosts_;
  bool sink_failed_ = false;
  bool told_zone_ = false;
};

Status LogImport::flush() {
  lines_waiting_ = 0;
  for (const auto& [host, waiting] : waiting_) {
    if (waiting.table->empty()) continue;
    if (Status status = sink_.append(*waiting.table); !status) {
      sink_failed_ = true;
      return status;
    }
  }
  waiting_.clear();
  return {};
}

Status LogImport::put(const std::string& host, const LogLine& line) {
  const auto into = [&]() -> Waiting& { return waiting_.try_emplace(host, host).first->second; };
  if (!into().appender.append(line)) {
    if (Status flushed = flush(); !flushed) return flushed;
    if (!into().appender.append(line)) return {};
  }
  hosts_.insert(host);
  ++result_.values;
  result_.first = std::min(result_.first.value_or(line.time), line.time);
  result_.last = std::max(result_.last.value_or(line.time), line.time);
  return ++lines_waiting_ < kMostWaiting ? Status{} : flush();
}

Status LogImport::take(const std::optional<WrittenLine>& line) {
  if (!line || line->text.empty()) {
    ++result_.not_lines;
    return {};
  }
  const std::string host(line->host.empty() ? std::string_view(options_.host) : line->host);
  if (host.empty()) return fail(ErrorCode::kBadInput, "", "names no host; say with --host whose log it is");
  if (host.size() > kLongestHost) {
    ++result_.not_lines;
    return {};
  }
  return put(host, {.time = line->time,
                    .program = line->program,
                    .pid = line->pid,
                    .severity = line->severity,
                    .text = line->text});
}

Status LogImport::read_line(std::string_view text, LogForms& forms) {
  if (!text.starts_with('{')) return take(forms.parse(text));
  const std::optional<JournalEntry> entry = parse_journal_json(text);
  return take(entry ? entry->line() : std::nullopt);
}

Status LogImport::read_journal(std::string_view first, LineReader& lines) {
  JournalEntry entry;
  if (!read_journal_entry(first, lines, entry)) {
    return fail(ErrorCode::kBadInput, "", "ends within an entry of the journal, or is damaged there");
  }
  return take(entry.line());
}

Status LogImport::read_lines(LineReader& lines, LogForms& forms) {
  std::string_view text;
  std::optional<bool> journal;
  while (lines.next(text)) {
    ++state_.lines;
    if (trim(text).empty()) continue;
    if (!journal) journal = begins_journal_export(text);
    if (Status read = *journal ? read_journal(text, lines) : read_line(text, forms); !read) return read;
  }
  return lines.status();
}

void LogImport::report(const Members& members) {
  state_.done = done_ + members.consumed();
  state_.values = result_.values;
  observer_.progress(state_);
}

void LogImport::tell_assumptions(const std::string& where, const LogForms& forms) {
  if (forms.assumed_zone() && !options_.zone && !std::exchange(told_zone_, true)) {
    observer_.notice(fmt::format("{}: times that name no zone are taken for UTC (--tz)", where));
  }
}

Status LogImport::read_member(Members& members, const LogTimes& times) {
  const std::uint64_t before = result_.values;
  const std::uint64_t passed_over = result_.not_lines;
  LogForms forms(times);
  LineReader lines(
      [&](std::span<char> buffer) {
        report(members);
        return members.read(buffer);
      },
      std::size_t{1} << 20, LineReader::Overlong::kCut);
  Status read = read_lines(lines, forms);
  if (!read && !sink_failed_ && read.error().where.empty()) {
    read.error().where = fmt::format("{}:{}", members.where(), lines.line_number());
  }
  tell_assumptions(members.where(), forms);
  if (!read) return read;
  if (result_.values == before && result_.not_lines > passed_over) {
    return fail(ErrorCode::kBadInput, members.where(),
                "has no line of a log whose form is known (docs/cmd/import.md lists them)");
  }
  if (result_.values > before) ++result_.sources;
  return {};
}

Status LogImport::read_file(const std::filesystem::path& file) {
  // Refuses a damaged file before its first line is taken.
  Result<std::vector<std::string>> names = list_members(file, limits_);
  if (!names) return forward(names);
  Result<Members> members = Members::open(file, limits_);
  if (!members) return forward(members);
  const LogTimes times{.zone = options_.zone.value_or(Duration::zero()),
                       .year = options_.year,
                       .latest = written(file).value_or(options_.now)};
  for (bool any = false;; any = true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return any ? Status{} : fail(ErrorCode::kBadInput, file.string(), "is empty");
    if (Status read = read_member(*members, times); !read) return read;
  }
}

Status LogImport::run(std::span<const std::filesystem::path> files) {
  const auto size_of = [](const std::filesystem::path& file) -> std::uint64_t {
    std::error_code unknown;
    const auto size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
    return unknown ? 0 : size;
  };
  for (const auto& file : files) state_.total += size_of(file);
  for (const auto& file : files) {
    state_.source = file.string();
    if (Status read = read_file(file); !read) {
      // A failed sink ends the import: it would only fail again.
      if (sink_failed_) return read;
      result_.errors.push_back(read.error());
    }
    done_ += size_of(file);
  }
  return flush();
}

LogImportResult LogImport::finish() {
  if (result_.not_lines > 0) {
    observer_.notice(fmt::format("{} {} passed over: no time, or no form that is known",
                                 with_separators(result_.not_lines),
                                 result_.not_lines == 1 ? "line was" : "lines were"));
  }
  result_.lines = state_.lines;
  result_.hosts = hosts_.size();
  return std::move(result_);
}

}  // namespace

Result<LogImportResult> import_logs(std::span<const std::filesystem::path> files,
                                    const LogImportOptions& options, ObservationSink& sink,
                                    ImportObserver& observer, const UnpackLimits& limits) {
  LogImport import(options, sink, observer, limits);
  if (Status status = import.run(files); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
