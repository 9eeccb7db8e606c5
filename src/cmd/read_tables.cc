#include "cmd/read_tables.h"

#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "cmd/progress.h"

namespace laggard::cmd {

namespace {

/// Fetches the next tables; some to unpack at the same time, and no more than fit into memory beside each
/// other.
Result<std::vector<std::unique_ptr<PackedTable>>> fetch_some(TableReader& reader) {
  constexpr std::size_t kMostTables = 32;
  constexpr std::size_t kEnoughCells = std::size_t{1} << 23;
  std::vector<std::unique_ptr<PackedTable>> fetched;
  std::size_t cells = 0;
  while (fetched.size() < kMostTables && cells < kEnoughCells) {
    auto packed = reader.next_packed();
    if (!packed) return forward(packed);
    if (*packed == nullptr) break;
    cells += (*packed)->cells();
    fetched.push_back(std::move(*packed));
  }
  return fetched;
}

/// The next tables, unpacked side by side; those without samples are left out. Nothing at the end.
Result<std::optional<std::vector<SampleTable>>> next_tables(TableReader& reader, Workers* workers) {
  auto packed = fetch_some(reader);
  if (!packed) return forward(packed);
  if (packed->empty()) return std::nullopt;
  run_all(workers, packed->size(), [&](std::size_t i) { (*packed)[i]->unpack(); });
  std::vector<SampleTable> tables;
  for (const auto& one : *packed) {
    auto table = one->take();
    if (!table) return forward(table);
    if (table->has_value()) tables.push_back(std::move(**table));
  }
  return tables;
}

}  // namespace

Status read_tables(const TableReading& reading, std::string_view doing,
                   const std::function<void(std::span<const SampleTable>)>& consume) {
  auto reader = reading.source.read(reading.request);
  if (!reader) return forward(reader);
  const bool any = reading.span.from < reading.span.to;
  const double whole = any ? to_seconds(reading.span.to - reading.span.from) : 1;
  SystemClock clock;
  Progress progress(doing, clock);
  while (!reading.enough || !reading.enough()) {
    auto tables = next_tables(**reader, reading.workers);
    if (!tables) return forward(tables);
    if (!*tables) return {};
    if ((*tables)->empty()) continue;
    if (!(*tables)->front().times().empty()) {
      progress.update(to_seconds((*tables)->front().times().front() - reading.span.from) / whole);
    }
    consume(**tables);
  }
  return {};
}

}  // namespace laggard::cmd
