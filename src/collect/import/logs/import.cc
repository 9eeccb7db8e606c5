#include "collect/import/logs/import.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/text.h"
#include "collect/import/line_import.h"
#include "collect/logs/journal.h"
#include "collect/logs/log_forms.h"
#include "model/log_line.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kLongestHost = 255;

class LogImport {
 public:
  LogImport(const LogImportOptions& options, ObservationSink& sink, ImportObserver& observer,
            const UnpackLimits& limits)
      : options_(options), import_(kLogKind, sink, observer, limits, LineReader::Overlong::kCut) {}

  [[nodiscard]] Status run(std::span<const std::filesystem::path> files) {
    return import_.run(
        files, [&](LineReader& lines, const LineImport::Place& place) { return read_member(lines, place); });
  }
  [[nodiscard]] ImportResult finish();

 private:
  [[nodiscard]] Status read_member(LineReader& lines, const LineImport::Place& place);
  [[nodiscard]] Status read_lines(LineReader& lines, LogForms& forms);
  [[nodiscard]] Status read_line(std::string_view text, LogForms& forms);
  [[nodiscard]] Status read_journal(std::string_view first, LineReader& lines);
  /// Takes a line, or nothing where there was none.
  [[nodiscard]] Status take(const std::optional<WrittenLine>& line);
  [[nodiscard]] std::uint64_t passed_over() const { return import_.so_far().passed_over.value_or(0); }

  const LogImportOptions& options_;
  AppendingImport<LogAppender> import_;
  bool told_zone_ = false;
};

Status LogImport::take(const std::optional<WrittenLine>& line) {
  if (!line || line->text.empty()) {
    import_.pass_over();
    return {};
  }
  const std::string_view host = line->host.empty() ? std::string_view(options_.host) : line->host;
  if (host.empty()) return fail(ErrorCode::kBadInput, "", "names no host; say with --host whose log it is");
  if (host.size() > kLongestHost) {
    import_.pass_over();
    return {};
  }
  return import_.put(host, LogLine{.time = line->time,
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
    import_.count_line();
    if (trim(text).empty()) continue;
    if (!journal) journal = begins_journal_export(text);
    if (Status read = *journal ? read_journal(text, lines) : read_line(text, forms); !read) return read;
  }
  return lines.status();
}

Status LogImport::read_member(LineReader& lines, const LineImport::Place& place) {
  const std::uint64_t lines_before = import_.so_far().values;
  const std::uint64_t others_before = passed_over();
  LogForms forms({.zone = options_.zone.value_or(Duration::zero()),
                  .year = options_.year,
                  .latest = last_written(place.file).value_or(options_.now)});
  Status read = read_lines(lines, forms);
  if (forms.assumed_zone() && !options_.zone && !std::exchange(told_zone_, true)) {
    import_.notice(fmt::format("{}: times that name no zone are taken for UTC (--tz)", place.where));
  }
  if (!read) return read;
  if (import_.so_far().values == lines_before && passed_over() > others_before) {
    return fail(ErrorCode::kBadInput, place.where,
                "has no line of a log whose form is known (docs/cmd/import.md lists them)");
  }
  return {};
}

ImportResult LogImport::finish() {
  if (const std::uint64_t others = passed_over(); others > 0) {
    import_.notice(fmt::format("{} {} passed over: no time, or no form that is known",
                               with_separators(others), others == 1 ? "line was" : "lines were"));
  }
  ImportResult result = import_.finish();
  if (!result.passed_over) result.passed_over = 0;
  return result;
}

}  // namespace

Result<ImportResult> import_logs(std::span<const std::filesystem::path> files,
                                 const LogImportOptions& options, ObservationSink& sink,
                                 ImportObserver& observer, const UnpackLimits& limits) {
  LogImport import(options, sink, observer, limits);
  if (Status status = import.run(files); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
