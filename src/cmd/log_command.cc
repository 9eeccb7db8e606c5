#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/terminal_text.h"
#include "cmd/commands.h"
#include "cmd/line_writer.h"
#include "cmd/log_texts.h"
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

Status match_lines(const MatchOptions& options, const detect::LogMatcher& matcher) {
  auto out = LineWriter::open("-");
  if (!out) return forward(out);
  std::uint64_t number = 0;
  Status read = each_log_text(options.file, [&](const LogText& line) {
    ++number;
    const detect::LogPattern* pattern = matcher.first(line.text);
    if (options.json) return out->write(json_line(number, pattern));
    return pattern == nullptr ? Status{} : out->write(text_line(number, *pattern, line.text));
  });
  return read ? out->finish() : read;
}

Status run_match(const MatchOptions& options) {
  detect::PatternFile file;
  auto matcher = log_matcher(options.patterns, file);
  if (!matcher) return forward(matcher);
  return match_lines(options, *matcher);
}

}  // namespace

void add_log_command(CLI::App& app, Context& context) {
  CLI::App* log =
      app.add_subcommand("log", "Say which lines of a log tell of failures, and what else it says");
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
  add_log_mine(*log, context);
}

}  // namespace laggard::cmd
