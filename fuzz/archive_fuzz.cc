// The archive's decoders, from headers and columns up to whole files. The first byte says which. Checksums
// are made to hold where they would keep every mutation out.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/block.h"
#include "archive/format.h"
#include "archive/notes.h"
#include "archive/reader.h"
#include "archive/salvage.h"
#include "archive/tokens.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

namespace {

using namespace laggard;           // NOLINT(google-build-using-namespace)
using namespace laggard::archive;  // NOLINT(google-build-using-namespace)

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void fuzz_facts(std::string_view payload) {
  ZstdCodec codec;
  const std::optional<Facts> facts = unpack_facts(seal(kFactMagic, payload, codec), codec);
  if (!facts) return;
  Facts again;
  for (const std::string& row : pack_facts(*facts, codec)) {
    const std::optional<Facts> some = unpack_facts(row, codec);
    require(some.has_value());
    again.insert(some->begin(), some->end());
  }
  require(again == *facts);
}

void fuzz_header(std::string_view payload) {
  ZstdCodec codec;
  const Result<BlockHeader> header = decode_header(seal(kBlockMagic, payload, codec), "fuzz", codec);
  if (!header) return;
  // What was understood can be written and is understood as the same again.
  const Result<BlockHeader> again = decode_header(encode_header(*header, codec), "fuzz", codec);
  require(again && *again == *header);
}

/// Two counters, of which the second refers to the first; a device that is there at times only.
SampleTable reference_table() {
  std::vector<WallTime> times;
  for (int t = 0; t < 70; ++t) times.push_back(from_unix_ns(1'000'000'000LL * t));
  SampleTable table{"h", DeviceKind::kDisk, {{"rd_ios"}, {"rd_sectors"}}, {"a", "b", "c"}, times};
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t t = d * 10; t < 70 - d * 10; ++t) {
      table.set(0, d, t, t * t * d);
      table.set(1, d, t, t * t * d * 8);
    }
  }
  return table;
}

void decode(const BlockHeader& shape, std::string_view chunk, const SampleTable& table) {
  ZstdCodec codec;
  BlockHeader header = shape;
  header.counters[1].hash = checksum(chunk);
  header.counters[1].bytes = static_cast<std::uint32_t>(chunk.size());
  SampleTable out = table;
  const std::vector<UnpackedCounter> unpacked{{.table = &table, .counter = 0}, {}};
  static_cast<void>(
      decode_chunk(chunk, header, 1, {.table = out, .counter = 1, .unpacked = unpacked}, codec));
}

/// Column heads, token streams and extra bits as the bytes say, packed as a chunk should be.
std::string pack_chunk(std::string_view data) {
  ByteReader in{data};
  const std::size_t streams = 1 + in.u8() % kBuckets;
  ByteWriter out;
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(streams));
  if (streams > 1) {
    for (std::size_t b = 0; b < kBuckets; ++b) out.u8(static_cast<std::uint8_t>(in.u8() % streams));
  }
  std::vector<std::string_view> parts;
  for (std::size_t p = 0; p <= streams; ++p) {
    parts.push_back(in.take(std::min<std::size_t>(in.u8(), in.rest().size())));
    out.varint(parts.back().size());
  }
  ZstdCodec codec;
  const std::string packed = codec.compress(parts);
  out.varint(packed.size());
  out.varint(in.rest().size());
  out.raw(packed);
  out.raw(in.rest());
  return out.take();
}

std::filesystem::path write_scratch(std::string_view bytes) {
  const std::filesystem::path folder =
      ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
  const std::filesystem::path path = folder / ("laggard-fuzz-" + std::to_string(::getpid()) + ".lgd");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

void fuzz_file(std::string_view bytes) {
  const std::filesystem::path path = write_scratch(bytes);
  auto reader = Reader::open(std::span(&path, 1), {.verify = true});
  if (reader) {
    static_cast<void>((*reader)->inventory());
    auto tables = (*reader)->read({});
    while (tables) {
      auto table = (*tables)->next();
      if (!table || !table->has_value()) break;
    }
  }
  reader = {};
  static_cast<void>(salvage_file(path));
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path.string() + suffix);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  ZstdCodec codec;
  static const SampleTable table = reference_table();
  static const Block block = encode_block(table, {0, 0, 0}, codec);
  switch (data[0] % 6) {
    case 0:
      static_cast<void>(decode_header(bytes, "fuzz", codec));
      break;
    case 1:
      fuzz_header(bytes);
      break;
    case 2:
      decode(block.header, bytes, table);
      break;
    case 3:
      decode(block.header, pack_chunk(bytes), table);
      break;
    case 4:
      fuzz_file(bytes);
      break;
    default:
      static_cast<void>(unpack_facts(bytes, codec));
      fuzz_facts(bytes);
      break;
  }
  return 0;
}
