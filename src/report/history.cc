#include "report/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/utf8.h"

namespace laggard::report {

namespace {

/// RFC 4180: in quotes when it must be.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

std::string to_history_text(std::span<const PersistenceRow> rows) {
  std::string out;
  for (const PersistenceRow& row : rows) {
    out += to_iso8601(row.from);
    for (const RankedComponent& ranked : row.top) {
      out += fmt::format("  {} {}", ranked.persistence, printable(ranked.component));
    }
    out += row.top.empty() ? "  -\n" : "\n";
  }
  return out;
}

std::string to_history_csv(std::span<const PersistenceRow> rows) {
  std::string out = "from,rank,persistence,severity,group,component\n";
  for (const PersistenceRow& row : rows) {
    std::size_t rank = 0;
    for (const RankedComponent& ranked : row.top) {
      out += fmt::format("{},{},{},{:.3g},{},{}\n", to_iso8601(row.from), ++rank, ranked.persistence,
                         ranked.severity, csv_field(ranked.group), csv_field(ranked.component));
    }
  }
  return out;
}

}  // namespace laggard::report
