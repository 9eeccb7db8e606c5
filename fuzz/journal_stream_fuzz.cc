// The journal's export format as it comes through a pipe: however its bytes are cut into pieces, the entries
// are those that a reader of the whole stream finds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "collect/import/line_reader.h"
#include "collect/logs/journal.h"
#include "collect/logs/journal_stream.h"

namespace {

using laggard::collect::JournalEntry;
using laggard::collect::JournalStream;
using laggard::collect::LineReader;

std::string all_of(const JournalEntry& entry) {
  std::string all;
  for (const std::string* field : {&entry.cursor, &entry.time, &entry.host, &entry.identifier, &entry.command,
                                   &entry.pid, &entry.priority, &entry.message}) {
    all += *field + '\n';
  }
  return all;
}

std::vector<std::string> in_pieces(std::string_view text, std::size_t piece) {
  std::vector<std::string> entries;
  JournalStream stream;
  for (; !text.empty() && !stream.is_damaged(); text.remove_prefix(std::min(piece, text.size()))) {
    std::string_view rest = text.substr(0, piece);
    while (!rest.empty() && !stream.is_damaged()) {
      const std::size_t taken = stream.take(rest);
      LAGGARD_CHECK(taken > 0 && taken <= rest.size());
      rest.remove_prefix(taken);
      if (!stream.has_entry()) continue;
      entries.push_back(all_of(stream.entry()));
      stream.next();
    }
  }
  return entries;
}

/// As an import reads a file; without the last entry, which the file may cut off.
std::vector<std::string> as_imported(std::string_view text) {
  LineReader reader(
      [&](std::span<char> buffer) -> laggard::Result<std::size_t> {
        const std::size_t n = text.copy(buffer.data(), buffer.size());
        text.remove_prefix(n);
        return n;
      },
      64, LineReader::Overlong::kCut);
  std::vector<std::string> entries;
  std::string_view line;
  while (reader.next(line)) {
    if (laggard::trim(line).empty()) continue;
    JournalEntry entry;
    if (!laggard::collect::read_journal_entry(line, reader, entry)) break;
    entries.push_back(all_of(entry));
  }
  return entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> whole = in_pieces(text, size + 1);
  LAGGARD_CHECK(in_pieces(text, 1) == whole && in_pieces(text, 7) == whole);
  if (text.starts_with("\xEF\xBB\xBF")) return 0;  // Which a reader of files passes over.
  const std::vector<std::string> imported = as_imported(text);
  LAGGARD_CHECK(imported.size() == whole.size() || imported.size() == whole.size() + 1);
  LAGGARD_CHECK(std::equal(whole.begin(), whole.end(), imported.begin()));
  return 0;
}
