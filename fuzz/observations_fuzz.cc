// The decoders of blocks of events and profiles. The first byte says which: a header as it is, a header or a
// column whose checksum is made to hold, or a table that is made of the bytes and must come back.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/block.h"
#include "archive/columns.h"
#include "archive/observation_columns.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

namespace {

using namespace laggard;           // NOLINT(google-build-using-namespace)
using namespace laggard::archive;  // NOLINT(google-build-using-namespace)

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void fuzz_header(std::string_view payload, ZstdCodec& codec) {
  const Result<ColumnsHeader> header =
      decode_columns_header(seal(kColumnsMagic, payload, codec), "fuzz", codec);
  if (!header) return;
  // What was understood can be written and is understood as the same again.
  const Result<ColumnsHeader> again =
      decode_columns_header(encode_columns_header(*header, codec), "fuzz", codec);
  require(again && *again == *header);
}

EventTable reference_events() {
  EventTable table("h", "log");
  const std::size_t bytes = *table.attribute("bytes", AttributeForm::kInteger);
  const std::size_t path = *table.attribute("path", AttributeForm::kWord);
  for (int e = 0; e < 70; ++e) {
    table.append({.time = from_unix_ns(1'000'000LL * e * e),
                  .duration = Duration{e % 7},
                  .subject = kNoWord,
                  .what = *table.intern("w" + std::to_string(e % 5))});
    table.set(bytes, std::int64_t{e} * e);
    if (e % 3 == 0) table.set(path, *table.intern("/p" + std::to_string(e)));
  }
  table.add_loss({.from = from_unix_ns(0), .to = from_unix_ns(5), .count = 3, .reason = "r"});
  return table;
}

ProfileTable reference_profile() {
  ProfileTable table("h", "stacks");
  for (int p = 0; p < 5; ++p) {
    table.begin({.start = from_unix_ns(1'000'000LL * p), .length = Duration{1'000'000}});
    for (int i = 0; i < p; ++i) {
      const Word word = *table.intern("f" + std::to_string(i));
      table.add(word, static_cast<std::uint64_t>(i) * 100);
    }
  }
  return table;
}

/// A sound block with one of its chunks replaced. What is read of it is a table, or an error.
template <typename Table>
void fuzz_chunk(const Table& table, std::size_t which, std::string_view chunk, ZstdCodec& codec) {
  ColumnsBlock block = encode_columns(to_columns(table, 0), codec);
  which %= block.chunks.size();
  block.chunks[which] = chunk;
  block.header.columns[which].hash = checksum(chunk);
  block.header.columns[which].bytes = static_cast<std::uint32_t>(chunk.size());
  const ColumnSource chunks = [&](std::size_t c) -> Result<std::string_view> {
    return std::string_view(block.chunks[c]);
  };
  auto loaded = load_observations<Table>(chunks, block.header, "fuzz", codec);
  if (!loaded) return;
  require(loaded->table.size() == table.size());
  // What was understood is a table like any other.
  const ColumnsBlock again = encode_columns(to_columns(loaded->table, 0), codec);
  require(again.header.rows == block.header.rows);
}

/// Events of which each takes some bytes.
void fuzz_round_trip(std::string_view bytes, ZstdCodec& codec) {
  ByteReader in{bytes};
  EventTable table("h", "fuzz");
  while (in.ok() && !in.rest().empty() && table.size() < 4096) {
    EventTable::Event event;
    event.time = from_unix_ns(in.zigzag());
    const std::int64_t took = in.zigzag();
    if (took >= 0) event.duration = Duration{took};
    const auto what = table.intern(in.take(std::min<std::size_t>(in.u8() % 4, in.rest().size())));
    event.what = *what;
    table.append(event);
    const auto key =
        table.attribute(in.take(std::min<std::size_t>(1, in.rest().size())), AttributeForm::kReal);
    if (key) table.set_bits(*key, in.u64());
  }
  if (table.empty()) return;
  const ColumnsBlock block = encode_columns(to_columns(table, 7), codec);
  const ColumnSource chunks = [&](std::size_t c) -> Result<std::string_view> {
    return std::string_view(block.chunks[c]);
  };
  const auto loaded = load_observations<EventTable>(chunks, block.header, "fuzz", codec);
  require(loaded && loaded->damage.empty() && loaded->table.size() == table.size());
  for (std::size_t e = 0; e < table.size(); ++e) {
    const EventTable::Event a = table.event(e);
    const EventTable::Event b = loaded->table.event(e);
    require(a.time == b.time && a.duration == b.duration && a.what == b.what && a.subject == b.subject);
  }
  for (const AttributeColumn& column : table.attributes()) {
    if (column.events.empty()) continue;
    bool found = false;
    for (const AttributeColumn& other : loaded->table.attributes()) {
      found = found ||
              (other.key == column.key && other.events == column.events && other.values == column.values);
    }
    require(found);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
  ZstdCodec codec;
  static const EventTable events = reference_events();
  static const ProfileTable profile = reference_profile();
  switch (data[0] % 5) {
    case 0:
      static_cast<void>(decode_columns_header(bytes, "fuzz", codec));
      break;
    case 1:
      fuzz_header(bytes, codec);
      break;
    case 2:
      fuzz_chunk(events, data[1], bytes, codec);
      break;
    case 3:
      fuzz_chunk(profile, data[1], bytes, codec);
      break;
    default:
      fuzz_round_trip(bytes, codec);
      break;
  }
  return 0;
}
