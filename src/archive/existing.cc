#include "archive/existing.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "archive/join.h"
#include "archive/load.h"

namespace laggard::archive {

namespace {

/// Two rows of the same time.
struct RowPair {
  std::size_t row;    ///< In the table whose cells are removed.
  std::size_t other;  ///< In the table that already has the time.
};

struct TimedRow {
  WallTime time;
  std::size_t row;
  auto operator<=>(const TimedRow&) const = default;
};

std::vector<TimedRow> sorted_rows(const std::vector<WallTime>& times) {
  std::vector<TimedRow> rows;
  rows.reserve(times.size());
  for (std::size_t t = 0; t < times.size(); ++t) rows.push_back({times[t], t});
  std::ranges::sort(rows);
  return rows;
}

std::vector<RowPair> same_times(const std::vector<WallTime>& times, const std::vector<WallTime>& others) {
  const std::vector<TimedRow> sorted = sorted_rows(others);
  std::vector<RowPair> pairs;
  for (std::size_t t = 0; t < times.size(); ++t) {
    auto at = std::lower_bound(sorted.begin(), sorted.end(), TimedRow{times[t], 0});
    for (; at != sorted.end() && at->time == times[t]; ++at) pairs.push_back({t, at->row});
  }
  return pairs;
}

/// A counter of a device in both tables.
struct SeriesPair {
  std::span<std::uint64_t> values;
  std::span<std::uint8_t> presence;
  SampleTable::View there;

  [[nodiscard]] std::uint64_t remove_equal(std::span<const RowPair> pairs) const {
    std::uint64_t removed = 0;
    for (const RowPair& pair : pairs) {
      if (presence[pair.row] == 0 || !there.present(pair.other)) continue;
      if (values[pair.row] != there.value(pair.other)) continue;
      presence[pair.row] = 0;
      values[pair.row] = 0;
      ++removed;
    }
    return removed;
  }
};

/// The index in `other` of each device of `table`.
std::vector<std::optional<std::size_t>> same_devices(const SampleTable& table, const SampleTable& other) {
  std::vector<std::optional<std::size_t>> places;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    // The same index is tried first: a lookup by name is slow, and the lists are usually equal.
    const bool same_place = d < other.devices().size() && other.devices()[d] == table.devices()[d];
    places.push_back(same_place ? std::optional(d) : other.device_index(table.devices()[d]));
  }
  return places;
}

std::uint64_t remove_equal(SampleTable& table, const SampleTable& other, std::span<const RowPair> pairs) {
  const std::vector<std::optional<std::size_t>> devices = same_devices(table, other);
  std::uint64_t removed = 0;
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const auto other_c = other.counter_index(table.counters()[c].name);
    for (std::size_t d = 0; other_c && d < devices.size(); ++d) {
      if (!devices[d]) continue;
      const SeriesPair both{.values = table.series(c, d),
                            .presence = table.presence(c, d),
                            .there = other.view(*other_c, *devices[d])};
      removed += both.remove_equal(pairs);
    }
  }
  return removed;
}

}  // namespace

Result<std::uint64_t> ExistingCells::remove_from(SampleTable& table) {
  std::uint64_t removed = 0;
  // Repeats within the table: an earlier row of the same time counts as existing.
  std::vector<RowPair> repeats = same_times(table.times(), table.times());
  std::erase_if(repeats, [](const RowPair& pair) { return pair.other >= pair.row; });
  if (!repeats.empty()) removed += remove_equal(table, SampleTable(table), repeats);

  Result<std::vector<BlockRow>> rows = file_.rows();
  if (!rows) return forward(rows);
  const auto [earliest, latest] = std::ranges::minmax(table.times());
  for (const BlockRow& row : *rows) {
    if (row.kind != to_name(table.kind()) || row.latest < earliest || row.earliest > latest) continue;
    Result<std::uint64_t> more = remove_block(row, table);
    if (!more) return more;
    removed += *more;
  }
  if (removed > 0) table = without_empty(table);
  return removed;
}

Result<std::uint64_t> ExistingCells::remove_block(const BlockRow& row, SampleTable& table) {
  if (cached_id_ != row.id) {
    Result<BlockHeader> header = file_.header(row.id, codec_);
    // A block that cannot be read cannot be compared, so its cells are stored again; that is how an import
    // repairs damage.
    if (!header)
      return header.error().code == ErrorCode::kDamaged ? Result<std::uint64_t>(0) : forward(header);
    Result<LoadedBlock> loaded = load_block(file_, row.id, *header, {}, codec_);
    if (!loaded)
      return loaded.error().code == ErrorCode::kDamaged ? Result<std::uint64_t>(0) : forward(loaded);
    cached_ = std::move(loaded->table);
    cached_id_ = row.id;
  }
  return remove_equal(table, cached_, same_times(table.times(), cached_.times()));
}

}  // namespace laggard::archive
