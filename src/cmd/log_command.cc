#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/terminal_text.h"
#include "cmd/commands.h"
#include "cmd/line_writer.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"
#include "collect/logs/journal.h"
#include "collect/logs/log_forms.h"
#include "detect/logs/log_matcher.h"
#include "detect/logs/log_pattern.h"
#include "detect/logs/pattern_file.h"
#include "report/json_writer.h"

namespace laggard::cmd {

namespace {

struct MatchOptions {
  std::filesystem::path file;
  std::string patterns;
  bool json = false;
};

/// What a line says, without the time and the names before it; all of it where no form fits.
std::string text_of(std::string_view line, collect::LogForms& forms) {
  if (line.starts_with('{')) {
    if (const auto entry = collect::parse_journal_json(line)) return entry->message;
  }
  const auto written = forms.parse(line);
  return std::string(written ? written->text : line);
}

std::string json_line(std::uint64_t number, const detect::LogPattern* pattern) {
  report::JsonWriter json(report::JsonWriter::Style::kCompact);
  const auto member = [&](std::string_view key, std::string_view value) {
    json.key(key);
    if (value.empty()) {
      json.null();
    } else {
      json.text(value);
    }
  };
  json.begin_object();
  json.integer_member("line", static_cast<std::int64_t>(number));
  member("pattern", pattern == nullptr ? "" : pattern->name);
  member("class", pattern == nullptr ? "" : to_name(pattern->what));
  member("part", pattern == nullptr ? "" : to_name(pattern->part));
  member("severity", pattern == nullptr ? "" : detect::severity_name(pattern->severity));
  json.end_object();
  return json.take() + "\n";
}

std::string text_line(std::uint64_t number, const detect::LogPattern& pattern, std::string_view text) {
  return fmt::format("{}: {} ({} {}, {}): {}\n", number, printable(pattern.name), pattern.part.spec().title,
                     to_name(pattern.what), detect::severity_name(pattern.severity), printable(text));
}

/// Writes what is matched, line by line, to standard output.
class MatchedLines {
 public:
  MatchedLines(const MatchOptions& options, const detect::LogMatcher& matcher, LineWriter& out)
      : options_(options), matcher_(matcher), out_(out) {}

  Status read(collect::Members& members) {
    collect::LineReader lines([&](std::span<char> buffer) { return members.read(buffer); },
                              std::size_t{1} << 20, collect::LineReader::Overlong::kCut);
    collect::LogForms forms({});
    std::string_view line;
    while (lines.next(line)) {
      if (Status written = write(text_of(line, forms)); !written) return written;
    }
    return lines.status();
  }

 private:
  Status write(const std::string& text) {
    ++number_;
    const detect::LogPattern* pattern = matcher_.first(text);
    if (options_.json) return out_.write(json_line(number_, pattern));
    return pattern == nullptr ? Status{} : out_.write(text_line(number_, *pattern, text));
  }

  const MatchOptions& options_;
  const detect::LogMatcher& matcher_;
  LineWriter& out_;
  std::uint64_t number_ = 0;
};

Status match_lines(const MatchOptions& options, const detect::LogMatcher& matcher) {
  auto members = collect::Members::open(options.file, {});
  if (!members) return forward(members);
  auto out = LineWriter::open("-");
  if (!out) return forward(out);
  MatchedLines lines(options, matcher, *out);
  while (true) {
    auto member = members->next();
    if (!member) return forward(member);
    if (!*member) return out->finish();
    if (Status read = lines.read(*members); !read) return read;
  }
}

Status run_match(const MatchOptions& options) {
  std::string text;
  if (!options.patterns.empty()) {
    auto read = read_file(options.patterns);
    if (!read) return forward(read);
    text = std::move(*read);
  }
  auto file = detect::PatternFile::parse(text, options.patterns);
  if (!file) return forward(file);
  auto matcher = detect::LogMatcher::make(detect::with_library(*file));
  if (!matcher) return forward(matcher);
  return match_lines(options, *matcher);
}

}  // namespace

void add_log_command(CLI::App& app, Context& context) {
  CLI::App* log = app.add_subcommand("log", "Say which lines of a log tell of failures");
  log->require_subcommand(1);
  auto options = std::make_shared<MatchOptions>();
  CLI::App* match = log->add_subcommand(
      "match", "Name the pattern that each line matches, and whose failure or recovery it is");
  match->add_option("file", options->file, "A log, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  match->add_option("--patterns", options->patterns, "More patterns, which come before laggard's own (TOML)")
      ->type_name("FILE");
  match->add_flag("--json", options->json, "A line of JSON for each line, matched or not");
  match->footer("Example:\n  laggard log match /var/log/messages --patterns site.toml");
  match->callback([options, &context] {
    const Status done = run_match(*options);
    context.status = done ? kClean : report_error(done.error());
  });
}

}  // namespace laggard::cmd
