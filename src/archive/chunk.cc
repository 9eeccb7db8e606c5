#include <algorithm>

#include "archive/block.h"
#include "archive/column.h"
#include "archive/format.h"

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

/// The present cells of a series, in order; the series itself when it has no holes.
std::span<const std::uint64_t> dense(std::span<const std::uint64_t> series, const Runs& runs,
                                     std::vector<std::uint64_t>& scratch) {
  if (runs.is_full()) return series;
  scratch.clear();
  runs.for_each([&](std::size_t begin, std::size_t end) {
    scratch.insert(scratch.end(), series.begin() + static_cast<std::ptrdiff_t>(begin),
                   series.begin() + static_cast<std::ptrdiff_t>(end));
  });
  return scratch;
}

class ChunkEncoder {
 public:
  ChunkEncoder(const SampleTable& table, std::size_t c, const BlockHeader& header)
      : table_(table), counter_(c), header_(header) {}

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
    encoder_.encode(dense(table_.series(counter_, d), runs, scratch_),
                    column_kind(table_.counters()[counter_].form), sink_);
  }

  [[nodiscard]] std::string finish(ZstdCodec& codec) {
    const std::string packed = codec.compress(sink_.head.str() + sink_.tokens);
    const std::string extra = sink_.extra.take();
    std::string squeezed = codec.compress(extra);
    const bool pays = squeezed.size() + 4 < extra.size() - extra.size() / 64;
    ByteWriter out;
    out.u8(pays ? kExtraIsCompressed : 0);
    out.varint(sink_.head.str().size());
    out.varint(sink_.tokens.size());
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
  ColumnSink sink_;
  ColumnEncoder encoder_;
  std::vector<std::uint64_t> scratch_;
};

/// Unpacks the columns of one chunk into a table.
class ChunkDecoder {
 public:
  ChunkDecoder(const BlockHeader& header, const ChunkTarget& target) : header_(header), target_(target) {}

  [[nodiscard]] bool open(std::string_view bytes, ZstdCodec& codec) {
    ByteReader in{bytes};
    const std::uint8_t flags = in.u8();
    const std::size_t cells = header_.devices.size() * header_.times.size();
    // A column's head is a few numbers, or one more per run of presence.
    const std::size_t head_size = in.count(header_.devices.size() * 64 + cells * 6);
    const std::size_t token_size = in.count(cells);
    const std::size_t packed_size = in.count(bytes.size());
    const std::size_t extra_size = in.count(cells * 8);
    const std::string_view packed = in.take(packed_size);
    if (!in.ok() || flags > kExtraIsCompressed) return false;
    if (!codec.decompress(packed, head_size + token_size, packed_)) return false;
    if (flags == kExtraIsCompressed) {
      if (!codec.decompress(in.rest(), extra_size, extra_, TokenReader::kSlack)) return false;
    } else {
      if (in.rest().size() != extra_size) return false;
      extra_.assign(in.rest());
      extra_.append(TokenReader::kSlack, '\0');
    }
    head_ = ByteReader{std::string_view(packed_).substr(0, head_size)};
    tokens_ = TokenReader{std::string_view(packed_).substr(head_size),
                          std::string_view(extra_).substr(0, extra_size)};
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
  bool read_column(std::size_t d, const Runs& runs) {
    const std::size_t device = target_.devices[d];
    const std::span<std::uint64_t> series =
        target_.table.series(target_.counter, device).subspan(target_.time_offset, header_.times.size());
    const std::span<std::uint8_t> present =
        target_.table.presence(target_.counter, device).subspan(target_.time_offset, header_.times.size());
    if (runs.is_full()) {
      std::fill(present.begin(), present.end(), std::uint8_t{1});
      return decode_column(head_, tokens_, series);
    }
    scratch_.resize(runs.present());
    if (scratch_.empty() || !decode_column(head_, tokens_, scratch_)) return false;
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
  ByteReader head_{{}};
  TokenReader tokens_{{}, {}};
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
  if (!decoder.open(bytes, codec)) return damaged("they do not decompress");
  for (std::size_t d = 0; d < header.devices.size(); ++d) {
    if (!decoder.read_device(d)) return damaged("a column makes no sense");
  }
  if (!decoder.at_end()) return damaged("there is more than the header names");
  return {};
}

}  // namespace laggard::archive
