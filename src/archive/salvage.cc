#include "archive/salvage.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "archive/columns.h"
#include "archive/format.h"
#include "archive/load.h"
#include "archive/observation_columns.h"
#include "archive/pages.h"
#include "base/bytes.h"

namespace laggard::archive {

namespace {

/// What a search finds of events and profiles. Every row is numbered within its file and kind
/// (ColumnsHeader). So when merged blocks and the parts that they were made from are both found, each row is
/// taken once, and missing rows can be counted.
class FoundObservations {
 public:
  /// A row of the table `block`, whether its header is whole or not, of whichever stream.
  struct Row {
    std::string kind;
    WallTime earliest;
    WallTime latest;
    std::int64_t rows = 0;
  };
  using ChunkFinder = std::function<Result<std::string_view>(std::uint64_t hash)>;

  void add_block(Row row) { rows_.push_back(std::move(row)); }
  /// Keeps the bytes if they are an intact header of events or profiles. \return whether they are.
  bool add_header(std::string_view bytes, ZstdCodec& codec);
  [[nodiscard]] bool any() const { return !headers_.empty(); }
  /// Adds to `salvage` what is sound, and what is known to be lost.
  void finish(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage);

 private:
  struct Part {
    ColumnsHeader header;
    Batch batch;
  };
  void load(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage);
  void take_each_row_once(Salvage& salvage);
  void report_rows_alone(Salvage& salvage) const;

  std::vector<Row> rows_;
  std::vector<ColumnsHeader> headers_;
  std::vector<Part> parts_;
  std::vector<ColumnsHeader> lost_;  ///< Those whose chunks were not all found.
};

std::string_view rows_name(Stream stream) { return stream == Stream::kEvents ? "events" : "periods"; }

void add_lost(const LostBlock& lost, Salvage& salvage) {
  if (std::ranges::find(salvage.lost, lost) == salvage.lost.end()) salvage.lost.push_back(lost);
}

template <typename Table>
Batch without_first(const Table& table, std::size_t n) {
  std::vector<std::uint32_t> rest;
  for (std::size_t row = n; row < table.size(); ++row) rest.push_back(static_cast<std::uint32_t>(row));
  Table part(table.host(), table.kind());
  part.set_boot(table.boot());
  part.append_from(table, rest);
  return part;
}

/// The batch without its first `n` rows, and without its losses, which came with the other block of these
/// rows.
Batch without_first(const Batch& batch, std::size_t n) {
  if (const auto* events = std::get_if<EventTable>(&batch)) return without_first(*events, n);
  return without_first(std::get<ProfileTable>(batch), n);
}

}  // namespace

bool FoundObservations::add_header(std::string_view bytes, ZstdCodec& codec) {
  Result<ColumnsHeader> header = decode_columns_header(bytes, "", codec);
  if (!header) return false;
  // The same header twice is one block on two pages, or the copy of the header.
  if (std::ranges::find(headers_, *header) == headers_.end()) headers_.push_back(std::move(*header));
  return true;
}

void FoundObservations::finish(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage) {
  if (salvage.host.empty()) {
    salvage.host = headers_.front().host;
    salvage.stream = headers_.front().stream;
  }
  load(chunks, codec, salvage);
  take_each_row_once(salvage);
  report_rows_alone(salvage);
}

void FoundObservations::load(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage) {
  for (ColumnsHeader& header : headers_) {
    const ColumnSource source = [&](std::size_t c) { return chunks(header.columns[c].hash); };
    Result<LoadedBatch> loaded = load_batch(source, header, "", codec);
    if (!loaded) {
      lost_.push_back(std::move(header));
      continue;
    }
    if (!loaded->damage.empty()) {
      add_lost({.kind = header.kind,
                .earliest = header.earliest,
                .latest = header.latest,
                .what = fmt::format("{} attributes are lost", loaded->damage.size())},
               salvage);
    }
    parts_.push_back({.header = std::move(header), .batch = std::move(loaded->batch)});
  }
}

/// Takes merged blocks before their parts, and reports holes in the numbering of rows as lost.
void FoundObservations::take_each_row_once(Salvage& salvage) {
  std::ranges::stable_sort(parts_, [](const Part& a, const Part& b) {
    const std::uint64_t a_end = a.header.end_number();
    const std::uint64_t b_end = b.header.end_number();
    return std::tie(a.header.kind, a.header.first_number, b_end) <
           std::tie(b.header.kind, b.header.first_number, a_end);
  });
  std::map<std::string, std::uint64_t> next_row;
  std::map<std::string, WallTime> latest;
  for (Part& part : parts_) {
    const ColumnsHeader& header = part.header;
    std::uint64_t& next = next_row[header.kind];
    const WallTime before = latest.try_emplace(header.kind, header.earliest).first->second;
    if (header.first_number > next) {
      add_lost({.kind = header.kind,
                .earliest = std::min(before, header.earliest),
                .latest = std::max(before, header.earliest),
                .what = fmt::format("{} {} are lost", header.first_number - next, rows_name(header.stream))},
               salvage);
    }
    const std::uint64_t end = header.end_number();
    if (header.first_number >= next) {
      salvage.observations.push_back(std::move(part.batch));
    } else if (end > next) {
      salvage.observations.push_back(without_first(part.batch, next - header.first_number));
    }
    next = std::max(next, end);
    latest[header.kind] = std::max(before, header.latest);
  }
  for (const ColumnsHeader& header : lost_) {
    const std::uint64_t end = header.end_number();
    if (end <= next_row[header.kind]) continue;  // Saved with others, or counted as a hole.
    add_lost(
        {.kind = header.kind,
         .earliest = header.earliest,
         .latest = header.latest,
         .what = fmt::format("{} {} are lost", end - std::max(next_row[header.kind], header.first_number),
                             rows_name(header.stream))},
        salvage);
  }
}

/// Reports rows of the table without a header that lie outside of what was found: mostly the end of a file.
void FoundObservations::report_rows_alone(Salvage& salvage) const {
  for (const Row& row : rows_) {
    const auto covers = [&](const ColumnsHeader& header) {
      return header.kind == row.kind && header.earliest <= row.earliest && header.latest >= row.latest;
    };
    const auto is_covered = [&](const Part& part) { return covers(part.header); };
    if (std::ranges::any_of(parts_, is_covered) || std::ranges::any_of(lost_, covers)) continue;
    add_lost({.kind = row.kind,
              .earliest = row.earliest,
              .latest = row.latest,
              .what = fmt::format("{} {} are lost", row.rows, rows_name(salvage.stream))},
             salvage);
  }
}

namespace {

/// A row of the table `block`, whether its header is whole or not.
struct FoundBlock {
  std::int64_t id = 0;
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::optional<BlockHeader> header;
};

/// Assigns the rows of all tables to their table by what they look like.
class Finds {
 public:
  void add(const RawRow& row) {
    if (row.fields.size() == 6) return add_block(row);
    if (!row.whole) return;
    if (row.fields.size() == 2) return add_chunk(row);
    if (row.fields.size() == 1) return add_facts(row);
    if (row.fields.size() == 5) add_gap(row);
  }

  Salvage finish() {
    std::ranges::stable_sort(blocks_, {}, &FoundBlock::id);
    for (const FoundBlock& block : blocks_) {
      if (block.header) take(block);
    }
    for (const FoundBlock& block : blocks_) {
      if (!block.header) report(block, "all counters", {});
    }
    for (const auto& [row, facts] : facts_) {
      for (const auto& [key, value] : facts) {
        if (device_kind(key.kind)) salvage_.facts[key] = value;
      }
    }
    for (const auto& [block, names] : partly_) report(*block, names, block->header->times);
    if (observations_.any()) {
      observations_.finish([&](std::uint64_t hash) { return find_chunk(hash); }, codec_, salvage_);
    }
    return std::move(salvage_);
  }

 private:
  void add_block(const RawRow& row) {
    const auto kind = row.text(1);
    const auto earliest = row.integer(2);
    const auto latest = row.integer(3);
    if (!kind || !earliest || !latest || *earliest > *latest) return;
    observations_.add_block({.kind = std::string(*kind),
                             .earliest = from_unix_ns(*earliest),
                             .latest = from_unix_ns(*latest),
                             .rows = row.integer(4).value_or(0)});
    if (const auto bytes = row.text(5); row.whole && bytes) observations_.add_header(*bytes, codec_);
    if (!device_kind(*kind)) return;
    FoundBlock block{.id = row.id,
                     .kind = std::string(*kind),
                     .earliest = from_unix_ns(*earliest),
                     .latest = from_unix_ns(*latest),
                     .header = {}};
    const auto bytes = row.text(5);
    if (row.whole && bytes) {
      Result<BlockHeader> header = decode_header(*bytes, "", codec_);
      if (header && header->kind == block.kind) block.header = std::move(*header);
    }
    blocks_.push_back(std::move(block));
  }

  void add_chunk(const RawRow& row) {
    const auto bytes = row.text(1);
    if (!bytes || !std::holds_alternative<std::monostate>(row.fields[0])) return;
    if (row.id % kChunksPerBlock == static_cast<std::int64_t>(kHeaderCopy)) return add_copy(row.id, *bytes);
    chunks_.emplace(checksum(*bytes), std::string(*bytes));
  }

  void add_copy(std::int64_t id, std::string_view bytes) {
    if (observations_.add_header(bytes, codec_)) return;
    Result<BlockHeader> header = decode_header(bytes, "", codec_);
    if (!header || !device_kind(header->kind)) return;
    blocks_.push_back({.id = id / kChunksPerBlock,
                       .kind = header->kind,
                       .earliest = header->earliest(),
                       .latest = header->latest(),
                       .header = std::move(*header)});
  }

  void add_facts(const RawRow& row) {
    const auto bytes = row.text(0);
    if (!bytes) return;
    if (std::optional<Facts> facts = unpack_facts(*bytes, codec_)) facts_[row.id] = std::move(*facts);
  }

  void add_gap(const RawRow& row) {
    const auto hash = row.integer(4);
    const auto last = row.text(3);
    if (!hash || !last) return;
    const auto from = row.integer(0);
    const auto to = row.integer(1);
    const auto lost = row.integer(2);
    if (!from || !to || !lost) return;
    const GapRow gap{.first = from_unix_ns(*from),
                     .last = from_unix_ns(*to),
                     .lost = static_cast<std::uint64_t>(*lost),
                     .reason = std::string(*last)};
    if (hash_of(gap) == *hash) salvage_.gaps.push_back(gap);
  }

  [[nodiscard]] Result<std::string_view> find_chunk(std::uint64_t hash) const {
    const auto chunk = chunks_.find(hash);
    if (chunk == chunks_.end()) return fail(ErrorCode::kDamaged, "", "the chunk is nowhere");
    return std::string_view(chunk->second);
  }

  void take(const FoundBlock& block) {
    const BlockHeader& header = *block.header;
    // The same header twice is one block on two pages: SQLite moves rows.
    std::vector<std::uint64_t> identity;
    for (const BlockCounter& c : header.counters) identity.push_back(c.hash);
    if (!taken_.insert({header.kind, block.earliest, block.latest, identity}).second) return;
    const ChunkSource source = [&](std::size_t c) { return find_chunk(header.counters[c].hash); };
    Result<LoadedBlock> loaded = load_block(source, "", header, {}, codec_);
    if (!loaded) return report(block, "all counters", header.times);
    if (salvage_.host.empty()) salvage_.host = header.host;
    remember(loaded->table, header);
    if (loaded->table.counters().size() < header.counters.size()) {
      partly_.emplace_back(&block, missing_names(header, loaded->table));
    }
    if (loaded->table.present_cells() > 0) salvage_.tables.push_back(std::move(loaded->table));
  }

  static std::string missing_names(const BlockHeader& header, const SampleTable& table) {
    if (table.counters().empty()) return "all counters";
    std::string names;
    for (const BlockCounter& c : header.counters) {
      if (table.counter_index(c.counter.name)) continue;
      names += (names.empty() ? "" : ", ") + c.counter.name;
    }
    return names;
  }

  void remember(const SampleTable& table, const BlockHeader& header) {
    if (table.counters().size() < header.counters.size()) return;
    saved_[{header.host, header.kind}].insert(table.times().begin(), table.times().end());
  }

  /// Reports a lost block, unless the same samples were found intact elsewhere: blocks are merged, and the
  /// old ones are overwritten.
  void report(const FoundBlock& block, const std::string& what, const std::vector<WallTime>& times) {
    // A row without its header does not name its host: a file has a single one, unless a foreign log lies
    // beside it.
    const std::string& host = block.header ? block.header->host : salvage_.host;
    const std::set<WallTime>& saved = saved_[{host, block.kind}];
    const auto is_saved = [&](WallTime t) { return saved.contains(t); };
    const bool elsewhere = times.empty() ? is_saved(block.earliest) && is_saved(block.latest)
                                         : std::ranges::all_of(times, is_saved);
    if (elsewhere) return;
    const LostBlock lost{
        .kind = block.kind, .earliest = block.earliest, .latest = block.latest, .what = what};
    if (std::ranges::find(salvage_.lost, lost) == salvage_.lost.end()) salvage_.lost.push_back(lost);
  }

  using Identity = std::tuple<std::string, WallTime, WallTime, std::vector<std::uint64_t>>;

  ZstdCodec codec_;
  FoundObservations observations_;
  std::vector<FoundBlock> blocks_;
  std::map<std::uint64_t, std::string> chunks_;  ///< By checksum, which is how headers refer to them.
  std::map<std::int64_t, Facts> facts_;          ///< By row: later ones win.
  std::set<Identity> taken_;
  /// Sample times of whole blocks, by host and kind.
  std::map<std::pair<std::string, std::string>, std::set<WallTime>> saved_;
  std::vector<std::pair<const FoundBlock*, std::string>> partly_;
  Salvage salvage_;
};

}  // namespace

Result<Salvage> salvage_file(const std::filesystem::path& path) {
  Result<Pages> pages = Pages::load(path);
  if (!pages) return forward(pages);
  Finds finds;
  const auto add = [&](const RawRow& row) { finds.add(row); };
  for_each_row(*pages, add);
  const bool cut = pages->is_cut();
  if (pages->has_log()) {
    // Also search what a foreign log hides, and what follows the place where a log is damaged.
    for (const Pages::View view : {Pages::View::kFile, Pages::View::kFrames}) {
      pages->use(view);
      for_each_row(*pages, add);
    }
  }
  Salvage salvage = finds.finish();
  salvage.cut = cut;
  return salvage;
}

}  // namespace laggard::archive
