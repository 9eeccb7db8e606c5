#include "collect/import/pings/import.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "collect/import/line_import.h"
#include "collect/pings/ping_source.h"
#include "model/event.h"

namespace laggard::collect {

namespace {

/// Puts probes into a table.
class ProbeAppender {
 public:
  explicit ProbeAppender(EventTable& table) : table_(&table) {}
  /// False when the table has no room for another word or attribute.
  [[nodiscard]] bool append(const ProbeRow& row);

 private:
  EventTable* table_;
};

bool ProbeAppender::append(const ProbeRow& row) {
  EventTable& table = *table_;
  const auto target = table.intern(row.target);
  const auto outcome = table.intern(row.outcome);
  const auto operation = table.intern(row.operation);
  const auto operations = table.attribute("operation", AttributeForm::kWord);
  if (!target || !outcome || !operation || !operations) return false;
  struct Set {
    std::size_t column;
    std::uint64_t bits;
  };
  std::vector<Set> others;
  for (const auto& [key, value] : row.attributes) {
    const auto number = to_number<std::int64_t>(value);
    const auto word = number ? std::optional<Word>() : table.intern(value);
    const auto column = table.attribute(key, number ? AttributeForm::kInteger : AttributeForm::kWord);
    if (!column || (!number && !word)) return false;
    others.push_back({*column, number ? static_cast<std::uint64_t>(*number) : word->value});
  }
  table.append({.time = row.time, .duration = row.latency, .subject = *target, .what = *outcome});
  table.set(*operations, *operation);
  for (const Set& other : others) table.set_bits(other.column, other.bits);
  return true;
}

Status read_rows(LineReader& lines, const std::string& where, const ProbeDefaults& defaults,
                 AppendingImport<ProbeAppender>& import) {
  std::string_view text;
  if (!lines.next(text)) return lines.status() ? fail(ErrorCode::kBadInput, "", "is empty") : lines.status();
  Result<ProbeRows> rows = ProbeRows::under(text, defaults);
  if (!rows) return forward(rows);
  if (!rows->ignored().empty()) {
    constexpr std::size_t kMost = 20;
    import.notice(
        fmt::format("{}: columns that are no probe's: {}", where, first_few(rows->ignored(), kMost)));
  }
  while (lines.next(text)) {
    import.count_line();
    if (trim(text).empty()) continue;
    Result<std::optional<ProbeRow>> row = rows->read(text);
    if (!row) return forward(row);
    if (!*row) continue;
    if (Status taken = import.put((*row)->client, **row); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<ImportResult> import_pings(std::span<const std::filesystem::path> files, const ProbeDefaults& defaults,
                                  ObservationSink& sink, ImportObserver& observer,
                                  const UnpackLimits& limits) {
  AppendingImport<ProbeAppender> import(PingSource::kKind, sink, observer, limits);
  const auto read = [&](LineReader& lines, const LineImport::Place& place) {
    return read_rows(lines, place.where, defaults, import);
  };
  if (Status done = import.run(files, read); !done) return forward(done);
  return import.finish();
}

}  // namespace laggard::collect
