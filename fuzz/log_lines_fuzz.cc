// Logs of any form: any bytes end as lines with times that exist and texts that come out of a table as they
// went in; the pieces in which the text arrives change nothing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/line_reader.h"
#include "collect/logs/journal.h"
#include "collect/logs/log_forms.h"
#include "model/event.h"
#include "model/log_line.h"

namespace {

using laggard::collect::JournalEntry;
using laggard::collect::LineReader;
using laggard::collect::LogForms;
using laggard::collect::WrittenLine;

struct Lines {
  laggard::EventTable table{"host", std::string(laggard::kLogKind)};
  laggard::LogAppender appender{table};

  void add(const WrittenLine& line) {
    LAGGARD_CHECK(line.time >= laggard::WallTime{} - std::chrono::hours(24) &&
                  line.time < laggard::kLatestTime + std::chrono::hours(24));
    LAGGARD_CHECK(!line.severity || (*line.severity >= 0 && *line.severity <= 7));
    if (!appender.append({.time = line.time,
                          .program = line.program,
                          .pid = line.pid,
                          .severity = line.severity,
                          .text = line.text})) {
      return;
    }
    std::string text;
    laggard::LogLines(table).text(table.size() - 1, text);
    LAGGARD_CHECK(text == line.text.substr(0, laggard::LogAppender::kMostText));
  }
};

void read_in_pieces(std::string_view text, std::size_t piece, Lines& lines) {
  LineReader reader(
      [&](std::span<char> buffer) -> laggard::Result<std::size_t> {
        const std::size_t n = text.copy(buffer.data(), std::min(piece, buffer.size()));
        text.remove_prefix(n);
        return n;
      },
      64, LineReader::Overlong::kCut);
  LogForms forms({});
  std::string_view line;
  bool journal = false;
  while (reader.next(line)) {
    if (line.empty()) continue;
    journal = journal || laggard::collect::begins_journal_export(line);
    JournalEntry entry;
    if (journal) {
      if (!laggard::collect::read_journal_entry(line, reader, entry)) return;
      if (const auto written = entry.line()) lines.add(*written);
    } else if (const auto json = laggard::collect::parse_journal_json(line)) {
      if (const auto written = json->line()) lines.add(*written);
    } else if (const auto written = forms.parse(line)) {
      lines.add(*written);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Lines whole;
  Lines pieces;
  read_in_pieces(text, size + 1, whole);
  read_in_pieces(text, 7, pieces);
  LAGGARD_CHECK(whole.table.size() == pieces.table.size());
  for (std::size_t e = 0; e < whole.table.size(); ++e) {
    LAGGARD_CHECK(whole.table.times()[e] == pieces.table.times()[e]);
  }
  return 0;
}
