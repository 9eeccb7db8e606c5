#include <algorithm>

#include "archive/block.h"
#include "archive/column.h"
#include "archive/format.h"
#include "archive/recipe.h"
#include "archive/streams.h"

/// A chunk on disk:
///   flags, varint sizes of heads, tokens, packed part and extra bits, then the packed part (zstd of the
///   columns' heads and all tokens) and the extra bits, which are compressed only when that pays: they are
///   mostly noise.
namespace laggard::archive {

namespace {

constexpr std::uint8_t kExtraIsCompressed = 1;

/// How a column is present, before its head.
enum class CellPresence : std::uint8_t {
  kAsDevice = 0,  ///< Wherever the header says that the device is.
  kNowhere = 1,   ///< This device does not have this counter.
  kOwn = 2,       ///< At runs of its own, which follow.
};

ColumnKind column_kind(CounterForm form) {
  return form == CounterForm::kGauge ? ColumnKind::kGauge : ColumnKind::kCounter;
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
    const Runs runs = Runs::of(table_.presence(counter_, d));
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
    const std::span<const std::uint64_t> cells = dense_cells(table_.series(counter_, d), runs, scratch_);
    ColumnHints hints;
    if (has_hints_ && present > 1 && hints_.fits(d, runs)) {
      hints_.select(d, runs);
      hints = {.growth = hints_.growth(), .buckets = hints_.buckets()};
    }
    encoder_.encode(cells, column_kind(table_.counters()[counter_].form), hints, sink_);
  }

  [[nodiscard]] std::string finish(ZstdCodec& codec) {
    const bool brief = header_.times.size() < kSettledSamples;
    const StreamMap map = brief ? StreamMap{} : choose_streams(sink_.tokens, sink_.buckets);
    std::vector<std::string> streams(count_streams(map));
    for (std::size_t i = 0; i < sink_.tokens.size(); ++i) {
      streams[map[static_cast<std::uint8_t>(sink_.buckets[i])]].push_back(sink_.tokens[i]);
    }
    std::vector<std::string_view> parts{sink_.head.str()};
    parts.insert(parts.end(), streams.begin(), streams.end());
    const std::string packed = codec.compress(parts);
    const std::string extra = sink_.extra.take();
    const std::string squeezed = codec.compress(std::span<const std::string_view>{{std::string_view(extra)}});
    const bool pays = squeezed.size() + 4 < extra.size() - extra.size() / 64;

    ByteWriter out;
    out.u8(pays ? kExtraIsCompressed : 0);
    out.u8(static_cast<std::uint8_t>(streams.size()));
    if (streams.size() > 1) {
      for (const std::uint8_t stream : map) out.u8(stream);
    }
    out.varint(sink_.head.str().size());
    for (const std::string& stream : streams) out.varint(stream.size());
    out.varint(packed.size());
    out.varint(extra.size());
    out.raw(packed);
    out.raw(pays ? squeezed : extra);
    return out.take();
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
    ByteReader in{bytes};
    const std::uint8_t flags = in.u8();
    const std::size_t cells = header_.devices.size() * header_.times.size();
    const std::size_t streams = in.u8();
    if (flags > kExtraIsCompressed || streams == 0 || streams > kBuckets) return false;
    StreamMap map{};
    if (streams > 1) {
      for (std::uint8_t& stream : map) {
        stream = in.u8();
        if (stream >= streams) return false;
      }
    }
    // A column's head is a few numbers, and one or two more per run of presence.
    const std::size_t head_size = in.count(header_.devices.size() * 80 + cells * 10);
    std::array<std::size_t, kBuckets> stream_sizes{};
    std::size_t packed_size = head_size;
    for (std::size_t s = 0; s < streams; ++s) packed_size += stream_sizes[s] = in.count(cells);
    const std::string_view packed = take_packed(in);
    if (!in.ok() || !codec.decompress(packed, packed_size, packed_)) return false;
    if (!open_extra(in.rest(), flags == kExtraIsCompressed, cells, codec)) return false;

    std::string_view rest = packed_;
    head_ = ByteReader{rest.substr(0, head_size)};
    rest.remove_prefix(head_size);
    std::array<std::string_view, kBuckets> tokens;
    for (std::size_t s = 0; s < streams; ++s) {
      tokens[s] = rest.substr(0, stream_sizes[s]);
      rest.remove_prefix(stream_sizes[s]);
    }
    tokens_ = TokenReader{std::span(tokens).subspan(0, streams), map,
                          std::string_view(extra_).substr(0, extra_size_)};
    return true;
  }

  [[nodiscard]] bool read_device(std::size_t d) {
    const std::uint8_t presence = head_.u8();
    if (presence == static_cast<std::uint8_t>(CellPresence::kAsDevice) && head_.ok()) {
      return read_column(d, header_.device_presence(d));
    }
    if (presence == static_cast<std::uint8_t>(CellPresence::kNowhere)) return true;
    if (presence != static_cast<std::uint8_t>(CellPresence::kOwn)) return false;
    const Runs runs = Runs::read(head_, header_.times.size());
    return head_.ok() && read_column(d, runs);
  }

  [[nodiscard]] bool at_end() const {
    return head_.ok() && head_.rest().empty() && tokens_.tokens_left() == 0;
  }

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

  [[nodiscard]] std::string_view take_packed(ByteReader& in) {
    const std::size_t size = in.count(in.rest().size());
    extra_size_ = in.count(kMaxCells * 8);
    return in.take(size);
  }

  bool open_extra(std::string_view bytes, bool compressed, std::size_t cells, ZstdCodec& codec) {
    if (extra_size_ > cells * 8) return false;
    if (compressed) return codec.decompress(bytes, extra_size_, extra_, TokenReader::kSlack);
    if (bytes.size() != extra_size_) return false;
    extra_.assign(bytes);
    extra_.append(TokenReader::kSlack, '\0');
    return true;
  }

  bool read_column(std::size_t d, const Runs& runs) {
    if (runs.is_full()) {
      if (const auto constant = decode_constant(head_)) {
        target_.table.set_uniform(target_.counter, d, *constant);
        return true;
      }
    }
    hints_.select(d, runs);
    if (runs.is_full()) {
      const SampleTable::Cells cells = target_.table.overwrite(target_.counter, d);
      std::ranges::fill(cells.presence, std::uint8_t{1});
      return decode_column(head_, tokens_, hints_, cells.series);
    }
    scratch_.resize(runs.present());
    if (scratch_.empty() || !decode_column(head_, tokens_, hints_, scratch_)) return false;
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
  std::string packed_;
  std::string extra_;
  std::size_t extra_size_ = 0;
  HintSource hints_;
  ByteReader head_{{}};
  TokenReader tokens_;
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
  // Blocks of one flush are merged soon: they are coded quickly and without looking at other counters.
  if (table.times().size() >= kSettledSamples) {
    std::vector<std::string_view> names;
    for (const TableCounter& counter : table.counters()) names.push_back(counter.name);
    for (std::size_t c = 0; c < names.size(); ++c) {
      block.header.counters[c].references = find_references(block.header.kind, names, c);
    }
  }
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    block.chunks.push_back(encode_chunk(table, c, block.header, codec));
    block.header.counters[c].hash = hash_bytes(block.chunks.back());
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
  if (bytes.size() != counter.bytes || hash_bytes(bytes) != counter.hash) {
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
