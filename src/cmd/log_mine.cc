#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/line_writer.h"
#include "cmd/log_texts.h"
#include "detect/logs/log_matcher.h"
#include "detect/logs/log_pattern.h"
#include "detect/logs/pattern_file.h"
#include "detect/logs/template_miner.h"
#include "model/log_line.h"
#include "report/json_writer.h"
#include "topology/system_text.h"

namespace laggard::cmd {

namespace {

struct MineOptions {
  std::vector<std::filesystem::path> files;
  std::string patterns;
  std::string severity = "warning";
  std::uint64_t least = 1;
  bool known = false;
  bool json = false;
};

/// Which lines count, and what is mined from them.
class MinedLog {
 public:
  MinedLog(const MineOptions& options, int severity, const detect::LogMatcher& matcher)
      : options_(options), severity_(severity), matcher_(matcher) {}

  /// The number of its template; nothing for a line that does not count.
  std::optional<std::size_t> add(const LogText& line) {
    if (line.severity.value_or(severity::kEmergency) > severity_) return std::nullopt;
    const detect::LogPattern* const known = matcher_.first(line.text);
    if (!options_.known && known != nullptr && known->knows_program()) return std::nullopt;
    const std::string_view text = std::string_view(line.text).substr(0, LogAppender::kMostText);
    const auto number = miner_.add(text);
    if (!number && !trim(text).empty()) ++left_out_;
    if (!number) return number;
    const int severity = line.severity.value_or(severity::kWarning);
    const auto [worst, is_first] = worst_.try_emplace(*number, severity);
    worst->second = std::min(worst->second, severity);
    return number;
  }

  /// The most frequent first.
  [[nodiscard]] std::vector<std::size_t> by_count() const {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < miner_.templates().size(); ++t) {
      if (miner_.templates()[t].count >= options_.least) order.push_back(t);
    }
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t t) { return miner_.templates()[t].count; });
    return order;
  }
  [[nodiscard]] const detect::MinedTemplate& operator[](std::size_t number) const {
    return miner_.templates()[number];
  }
  /// The most severe of its lines; a warning where none says.
  [[nodiscard]] int severity(std::size_t number) const { return worst_.at(number); }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  const MineOptions& options_;
  int severity_;
  const detect::LogMatcher& matcher_;
  detect::TemplateMiner miner_;
  std::map<std::size_t, int> worst_;
  std::uint64_t left_out_ = 0;  ///< Lines for which there was no room.
};

/// `volume-odd`: the first words that stand for themselves.
std::string name_of(const detect::MinedTemplate& mined) {
  constexpr std::size_t kMostWords = 3;
  std::string name;
  std::size_t words = 0;
  for (const std::string& token : mined.tokens) {
    std::string word;
    for (const char c : token) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (lower >= 'a' && lower <= 'z') word += lower;
    }
    if (word.size() < 3) continue;
    name += (name.empty() ? "" : "-") + word;
    if (++words == kMostWords) break;
  }
  return name.empty() ? "line" : name;
}

/// A string of TOML in which backslashes stand for themselves, where that can be.
std::string toml_literal(std::string_view text) {
  return text.find('\'') == std::string_view::npos ? fmt::format("'{}'", text) : topology::toml_string(text);
}

/// A table of a file of patterns; a comment where it would be refused.
std::string pattern_text(const MinedLog& log, std::size_t number, const std::string& name) {
  const detect::MinedTemplate& mined = log[number];
  const std::string sample = topology::harmless(mined.sample);
  const std::string expression = detect::to_expression(mined);
  detect::LogPattern pattern{.name = name, .part = PartKind::kServer, .match = expression, .sample = sample};
  const auto matcher = detect::LogMatcher::make({pattern});
  const bool is_good = matcher && matcher->first(sample) != nullptr;
  std::string text =
      fmt::format("# {} {}{}\n", with_separators(mined.count), mined.count == 1 ? "line" : "lines",
                  is_good ? "" : "; too little of it stays the same for a pattern");
  const std::string table = fmt::format(
      "[[pattern]]\nname = \"{}\"\npart = \"server\"\nseverity = \"{}\"\nclass = \"failure\"\nmatch = {}\n"
      "samples = [{}]\n",
      name, detect::severity_name(log.severity(number)), toml_literal(expression), toml_literal(sample));
  for (std::string_view rest = table; !rest.empty();) {
    text += fmt::format("{}{}\n", is_good ? "" : "# ", take_line(rest));
  }
  return text + "\n";
}

Status write_patterns(const MinedLog& log, LineWriter& out) {
  Status written = out.write(
      "# Statements that no pattern knows. Keep those that tell of a failure (or of a recovery: class), say\n"
      "# whose (part) and how bad it is (severity: from error on it explains an incident), and give the "
      "file\n"
      "# to diagnose, watch and log match by --patterns.\n\n");
  std::map<std::string, int> names;
  for (const std::size_t number : log.by_count()) {
    if (!written) return written;
    std::string name = name_of(log[number]);
    if (const int times = ++names[name]; times > 1) name += fmt::format("-{}", times);
    written = out.write(pattern_text(log, number, name));
  }
  if (written && log.left_out() > 0) {
    written = out.write(fmt::format("# {} lines were left out: there are more than {} templates\n",
                                    with_separators(log.left_out()), detect::TemplateMiner::kMostTemplates));
  }
  return written;
}

std::string mined_json(std::uint64_t line, const std::optional<std::size_t>& number) {
  report::JsonWriter json(report::JsonWriter::Style::kCompact);
  json.begin_object();
  json.integer_member("line", static_cast<std::int64_t>(line));
  json.key("template");
  if (number) {
    json.integer(static_cast<std::int64_t>(*number));
  } else {
    json.null();
  }
  json.end_object();
  return json.take() + "\n";
}

Status run_mine(const MineOptions& options) {
  const auto severity = detect::severity_named(options.severity);
  if (!severity) {
    return fail(
        ErrorCode::kBadUse, "--severity",
        options.severity + " is none of emergency, alert, critical, error, warning, notice, info, debug");
  }
  detect::PatternFile file;
  auto matcher = log_matcher(options.patterns, file);
  if (!matcher) return forward(matcher);
  auto out = LineWriter::open("-");
  if (!out) return forward(out);
  MinedLog log(options, *severity, *matcher);
  std::uint64_t line = 0;
  for (const std::filesystem::path& path : options.files) {
    Status read = each_log_text(path, [&](const LogText& text) {
      ++line;
      const auto number = log.add(text);
      return options.json ? out->write(mined_json(line, number)) : Status{};
    });
    if (!read) return read;
  }
  if (!options.json) {
    if (Status written = write_patterns(log, *out); !written) return written;
  }
  return out->finish();
}

}  // namespace

void add_log_mine(CLI::App& log, Context& context) {
  auto options = std::make_shared<MineOptions>();
  CLI::App* mine = log.add_subcommand(
      "mine",
      "Find the statements that lines without a pattern come from, as a file of patterns to choose from");
  mine->add_option("files", options->files, "Logs, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  mine->add_option("--patterns", options->patterns, "Patterns that a site has already (TOML)")
      ->type_name("FILE");
  mine->add_option("--severity", options->severity, "Leave out what says that it is less severe")
      ->type_name("NAME")
      ->capture_default_str();
  mine->add_option("--least", options->least, "Leave out statements of fewer lines")
      ->type_name("N")
      ->capture_default_str();
  mine->add_flag("--known", options->known, "Lines that a pattern knows, too");
  mine->add_flag("--json", options->json,
                 "A line of JSON for each line: the number of its statement, or null");
  mine->footer("Example:\n  laggard log mine /var/log/messages* >site.toml");
  mine->callback([options, &context] {
    const Status done = run_mine(*options);
    context.status = done ? kClean : report_error(done.error());
  });
}

}  // namespace laggard::cmd
