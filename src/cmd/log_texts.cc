#include "cmd/log_texts.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"
#include "collect/logs/journal.h"
#include "collect/logs/log_forms.h"

namespace laggard::cmd {

namespace {

LogText log_text(std::string_view line, collect::LogForms& forms) {
  if (line.starts_with('{')) {
    if (const auto entry = collect::parse_journal_json(line)) {
      const auto written = entry->line();
      return {entry->message, written ? written->severity : std::nullopt};
    }
  }
  const auto written = forms.parse(line);
  if (!written) return {std::string(line), std::nullopt};
  return {std::string(written->text), written->severity};
}

}  // namespace

Status each_log_text(const std::filesystem::path& log,
                     const std::function<Status(const LogText& line)>& take) {
  auto members = collect::Members::open(log, {});
  if (!members) return forward(members);
  while (true) {
    auto member = members->next();
    if (!member) return forward(member);
    if (!*member) return {};
    collect::LineReader lines([&](std::span<char> buffer) { return members->read(buffer); },
                              std::size_t{1} << 20, collect::LineReader::Overlong::kCut);
    collect::LogForms forms({});
    std::string_view line;
    while (lines.next(line)) {
      if (Status taken = take(log_text(line, forms)); !taken) return taken;
    }
    if (!lines.status()) return lines.status();
  }
}

Result<detect::LogMatcher> log_matcher(const std::string& path, detect::PatternFile& file) {
  std::string text;
  if (!path.empty()) {
    auto read = read_file(path);
    if (!read) return forward(read);
    text = std::move(*read);
  }
  auto parsed = detect::PatternFile::parse(text, path);
  if (!parsed) return forward(parsed);
  file = std::move(*parsed);
  return detect::LogMatcher::make(detect::with_library(file));
}

}  // namespace laggard::cmd
