#include <algorithm>

#include "archive/block.h"
#include "archive/column.h"
#include "archive/format.h"
#include "archive/hints.h"
#include "archive/packed_columns.h"
#include "base/bytes.h"

/// A chunk of samples holds one counter of all devices, a column for each device (packed_columns.h).
namespace laggard::archive {

namespace {

/// Written before a column's head: at which sample times it is present.
enum class CellPresence : std::uint8_t {
  kAsDevice = 0,  ///< Whenever the header says that the device is present.
  kNowhere = 1,   ///< This device does not have this counter.
  kOwn = 2,       ///< At the runs that follow.
};

ColumnKind column_kind(CounterForm form) {
  return form == CounterForm::kComputedRate ? ColumnKind::kReals : ColumnKind::kCounter;
}

class ChunkEncoder {
 public:
  ChunkEncoder(const SampleTable& table, std::size_t c, const BlockHeader& header)
      : table_(table), counter_(c), header_(header) {
    const References& references = header.counters[c].references;
    std::vector<UnpackedCounter> growth;
    std::vector<UnpackedCounter> buckets;
    for (const std::uint16_t r : references.growth) growth.push_back({.table = &table, .counter = r});
    for (const std::uint16_t r : references.buckets) buckets.push_back({.table = &table, .counter = r});
    hints_ = HintSource{std::move(growth), std::move(buckets)};
    has_hints_ = !references.empty();
  }

  void add_device(std::size_t d) {
    const Runs runs = runs_of(table_, counter_, d);
    const std::size_t present = runs.present();
    if (present == 0) {
      sink_.head.u8(static_cast<std::uint8_t>(CellPresence::kNowhere));
      return;
    }
    if (runs == header_.device_presence(d)) {
      sink_.head.u8(static_cast<std::uint8_t>(CellPresence::kAsDevice));
    } else {
      sink_.head.u8(static_cast<std::uint8_t>(CellPresence::kOwn));
      runs.write(sink_.head);
    }
    const std::span<const std::uint64_t> cells = dense_cells(table_, counter_, d, runs, scratch_);
    ColumnHints hints;
    if (has_hints_ && present > 1 && hints_.fits(d, runs)) {
      hints_.select(d, runs);
      hints = {.growth = hints_.growth(), .buckets = hints_.buckets()};
    }
    encoder_.encode(cells, column_kind(table_.counters()[counter_].form), hints, sink_);
  }

  [[nodiscard]] std::string finish(ZstdCodec& codec) {
    return pack_columns(sink_, header_.times.size() < kSettledSamples, codec);
  }

 private:
  const SampleTable& table_;
  std::size_t counter_;
  const BlockHeader& header_;
  HintSource hints_;
  bool has_hints_ = false;
  ColumnSink sink_;
  ColumnEncoder encoder_;
  std::vector<std::uint64_t> scratch_;
};

/// Unpacks the columns of one chunk into a table.
class ChunkDecoder {
 public:
  ChunkDecoder(const BlockHeader& header, const ChunkTarget& target) : header_(header), target_(target) {}

  [[nodiscard]] bool open(std::string_view bytes, const References& references, ZstdCodec& codec) {
    if (!find_hints(references)) return false;
    const std::size_t cells = header_.devices.size() * header_.times.size();
    // A column's head is a few numbers, and one or two more per run of presence.
    return columns_.open(bytes, {.head_bytes = header_.devices.size() * 80 + cells * 10, .values = cells},
                         codec);
  }

  [[nodiscard]] bool read_device(std::size_t d) {
    const std::uint8_t presence = columns_.head().u8();
    if (presence == static_cast<std::uint8_t>(CellPresence::kAsDevice) && columns_.head().ok()) {
      return read_column(d, header_.device_presence(d));
    }
    if (presence == static_cast<std::uint8_t>(CellPresence::kNowhere)) return true;
    if (presence != static_cast<std::uint8_t>(CellPresence::kOwn)) return false;
    const Runs runs = Runs::read(columns_.head(), header_.times.size());
    return columns_.head().ok() && read_column(d, runs);
  }

  [[nodiscard]] bool at_end() const { return columns_.at_end(); }

 private:
  bool find_hints(const References& references) {
    std::vector<UnpackedCounter> growth;
    std::vector<UnpackedCounter> buckets;
    for (const std::uint16_t r : references.growth) growth.push_back(target_.unpacked[r]);
    for (const std::uint16_t r : references.buckets) buckets.push_back(target_.unpacked[r]);
    const auto missing = [](const UnpackedCounter& c) { return c.table == nullptr; };
    if (std::ranges::any_of(growth, missing) || std::ranges::any_of(buckets, missing)) return false;
    hints_ = HintSource{std::move(growth), std::move(buckets)};
    return true;
  }

  bool read_column(std::size_t d, const Runs& runs) {
    if (runs.is_full()) {
      if (const auto constant = decode_constant(columns_.head())) {
        target_.table.set_uniform(target_.counter, d, *constant);
        return true;
      }
    }
    hints_.select(d, runs);
    if (runs.is_full()) {
      const SampleTable::Cells cells = target_.table.overwrite(target_.counter, d);
      std::ranges::fill(cells.presence, std::uint8_t{1});
      return decode_column(columns_.head(), columns_.tokens(), hints_, cells.series);
    }
    scratch_.resize(runs.present());
    if (scratch_.empty() || !decode_column(columns_.head(), columns_.tokens(), hints_, scratch_))
      return false;
    const std::span<std::uint64_t> series = target_.table.series(target_.counter, d);
    const std::span<std::uint8_t> present = target_.table.presence(target_.counter, d);
    auto from = scratch_.begin();
    runs.for_each([&](std::size_t begin, std::size_t end) {
      const auto length = static_cast<std::ptrdiff_t>(end - begin);
      std::copy(from, from + length, series.begin() + static_cast<std::ptrdiff_t>(begin));
      std::fill_n(present.begin() + static_cast<std::ptrdiff_t>(begin), length, std::uint8_t{1});
      from += length;
    });
    return true;
  }

  const BlockHeader& header_;
  const ChunkTarget& target_;
  HintSource hints_;
  PackedColumns columns_;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace

std::string encode_chunk(const SampleTable& table, std::size_t c, const BlockHeader& header,
                         ZstdCodec& codec) {
  ChunkEncoder encoder{table, c, header};
  for (std::size_t d = 0; d < table.devices().size(); ++d) encoder.add_device(d);
  return encoder.finish(codec);
}

Block encode_block(const SampleTable& table, std::vector<std::uint32_t> active, ZstdCodec& codec) {
  LAGGARD_CHECK(table.counters().size() <= kMaxCounters && table.cells() <= kMaxCells);
  Block block{.header = make_header(table, std::move(active)), .chunks = {}};
  // Blocks of one flush are merged soon, so they are coded quickly and without references to other counters.
  if (table.times().size() >= kSettledSamples) {
    std::vector<std::string_view> names;
    for (const TableCounter& counter : table.counters()) names.push_back(counter.name);
    for (std::size_t c = 0; c < names.size(); ++c) {
      block.header.counters[c].references = find_references(block.header.kind, names, c);
    }
  }
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    block.chunks.push_back(encode_chunk(table, c, block.header, codec));
    block.header.counters[c].hash = checksum(block.chunks.back());
    block.header.counters[c].bytes = static_cast<std::uint32_t>(block.chunks.back().size());
  }
  return block;
}

Status decode_chunk(std::string_view bytes, const BlockHeader& header, std::size_t index,
                    const ChunkTarget& target, ZstdCodec& codec) {
  const BlockCounter& counter = header.counters[index];
  const auto damaged = [&](std::string_view what) {
    return fail(ErrorCode::kDamaged, "",
                fmt::format("values of {} are damaged: {}", counter.counter.name, what));
  };
  if (bytes.size() != counter.bytes || checksum(bytes) != counter.hash) {
    return damaged("their checksum does not hold");
  }
  ChunkDecoder decoder{header, target};
  if (!decoder.open(bytes, counter.references, codec)) return damaged("they do not decompress");
  for (std::size_t d = 0; d < header.devices.size(); ++d) {
    if (!decoder.read_device(d)) return damaged("a column makes no sense");
  }
  if (!decoder.at_end()) return damaged("there is more than the header names");
  return {};
}

}  // namespace laggard::archive
