#include "archive/load.h"

#include <algorithm>
#include <map>
#include <utility>

#include "archive/format.h"
#include "archive/join.h"

namespace laggard::archive {

namespace {

std::vector<std::size_t> wanted_counters(const BlockHeader& header, std::span<const std::string> names) {
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < header.counters.size(); ++c) {
    if (names.empty() || std::ranges::find(names, header.counters[c].counter.name) != names.end()) {
      wanted.push_back(c);
    }
  }
  return wanted;
}

SampleTable empty_table(const BlockHeader& header, std::span<const std::size_t> counters) {
  std::vector<TableCounter> columns;
  for (const std::size_t c : counters) columns.push_back(header.counters[c].counter);
  SampleTable table{header.host, device_kind(header.kind).value_or(DeviceKind::kDisk), std::move(columns),
                    header.devices, header.times};
  table.set_boot(header.boot);
  return table;
}

Error at_block(Error error, std::string_view file, const BlockHeader& header) {
  error.where = fmt::format("{}: {} samples of {} from {} to {}", file, header.kind, header.host,
                            to_iso8601(header.earliest()), to_iso8601(header.latest()));
  return error;
}

/// Unpacks the wanted chunks into the result, and those that they only refer to into another table.
class BlockLoader {
 public:
  BlockLoader(const ChunkSource& chunks, std::string_view file, const BlockHeader& header, ZstdCodec& codec)
      : chunks_(chunks), file_(file), header_(header), codec_(codec), bad_(header.counters.size()) {}

  [[nodiscard]] LoadedBlock load(std::vector<std::size_t> wanted) {
    LoadedBlock loaded;
    // A damaged chunk leaves its column half written, so everything is unpacked again without it; that is
    // rare.
    while (!try_load(wanted, loaded)) std::erase_if(wanted, [&](std::size_t c) { return bad_[c]; });
    return loaded;
  }

 private:
  bool try_load(const std::vector<std::size_t>& wanted, LoadedBlock& loaded) {
    const std::vector<std::size_t> order = unpacking_order(header_, wanted);
    std::vector<std::size_t> others;
    for (const std::size_t c : order) {
      if (std::ranges::find(wanted, c) == wanted.end()) others.push_back(c);
    }
    loaded.table = empty_table(header_, wanted);
    SampleTable referred = empty_table(header_, others);
    std::vector<UnpackedCounter> unpacked(header_.counters.size());
    bool sound = true;
    for (const std::size_t c : order) {
      const auto mine = std::ranges::find(wanted, c);
      const bool is_wanted = mine != wanted.end();
      SampleTable& table = is_wanted ? loaded.table : referred;
      const auto column = static_cast<std::size_t>(is_wanted ? mine - wanted.begin()
                                                             : std::ranges::find(others, c) - others.begin());
      Status read = unpack(c, {.table = table, .counter = column, .unpacked = unpacked});
      if (read) {
        unpacked[c] = {.table = &table, .counter = column};
        continue;
      }
      if (!bad_[c]) loaded.damage.push_back(at_block(read.error(), file_, header_));
      bad_[c] = true;
      if (is_wanted) sound = false;
    }
    return sound;
  }

  Status unpack(std::size_t c, const ChunkTarget& target) {
    if (bad_[c]) return fail(ErrorCode::kDamaged, "", "damaged");
    Result<std::string_view> bytes = chunks_(c);
    if (!bytes) return forward(bytes);
    return decode_chunk(*bytes, header_, c, target, codec_);
  }

  const ChunkSource& chunks_;
  std::string_view file_;
  const BlockHeader& header_;
  ZstdCodec& codec_;
  std::vector<bool> bad_;
};

}  // namespace

Result<LoadedBlock> load_block(const ChunkSource& chunks, std::string_view file, const BlockHeader& header,
                               std::span<const std::string> counters, ZstdCodec& codec) {
  const std::vector<std::size_t> wanted = wanted_counters(header, counters);
  const std::size_t columns = unpacking_order(header, wanted).size();
  if (columns * header.devices.size() * header.times.size() > kMaxCells) {
    return fail(ErrorCode::kDamaged, std::string(file), "a block claims to be larger than any that we write");
  }
  return BlockLoader{chunks, file, header, codec}.load(wanted);
}

FetchedBlock fetch_block(DayFile& file, std::int64_t id, BlockHeader header,
                         std::span<const std::string> counters) {
  FetchedBlock block{.file = file.path().string(), .header = std::move(header), .chunks = {}};
  block.chunks.resize(block.header.counters.size());
  for (const std::size_t c : unpacking_order(block.header, wanted_counters(block.header, counters))) {
    block.chunks[c] = file.chunk(id, c).map([](std::string_view bytes) { return std::string(bytes); });
  }
  return block;
}

Result<LoadedBlock> load_block(const FetchedBlock& block, std::span<const std::string> counters,
                               ZstdCodec& codec) {
  const ChunkSource chunks = [&](std::size_t c) -> Result<std::string_view> {
    if (!block.chunks[c]) return tl::unexpected<Error>(block.chunks[c].error());
    return std::string_view(*block.chunks[c]);
  };
  return load_block(chunks, block.file, block.header, counters, codec);
}

Result<LoadedBlock> load_block(DayFile& file, std::int64_t id, const BlockHeader& header,
                               std::span<const std::string> counters, ZstdCodec& codec) {
  const ChunkSource chunks = [&](std::size_t c) { return file.chunk(id, c); };
  return load_block(chunks, file.path().string(), header, counters, codec);
}

Result<std::optional<Block>> merge_blocks(DayFile& file, std::span<const std::int64_t> ids,
                                          ZstdCodec& codec) {
  std::vector<SampleTable> parts;
  std::map<std::string, std::uint32_t> active;
  Union all;
  std::size_t samples = 0;
  for (const std::int64_t id : ids) {
    Result<BlockHeader> header = file.header(id, codec);
    if (!header) return forward(header);
    Result<LoadedBlock> part = load_block(file, id, *header, {}, codec);
    if (!part) return forward(part);
    if (!part->damage.empty()) return tl::unexpected<Error>(part->damage.front());
    for (std::size_t d = 0; d < header->devices.size(); ++d) active[header->devices[d]] += header->active[d];
    all.add_devices(part->table.devices());
    all.add_counters(part->table.counters());
    samples += part->table.times().size();
    const std::size_t cells = all.devices().size() * all.counters().size() * samples;
    if (all.counters().size() > kMaxCounters || cells > kMaxBlockCells) return std::nullopt;
    parts.push_back(std::move(part->table));
  }
  const SampleTable table = concatenate(parts);
  parts.clear();
  std::vector<std::uint32_t> counts;
  for (const std::string& device : table.devices()) counts.push_back(active[device]);
  return encode_block(table, std::move(counts), codec);
}

}  // namespace laggard::archive
