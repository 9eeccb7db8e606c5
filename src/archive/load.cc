#include "archive/load.h"

#include <algorithm>

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

std::vector<std::size_t> identity_map(std::size_t n) {
  std::vector<std::size_t> map(n);
  for (std::size_t i = 0; i < n; ++i) map[i] = i;
  return map;
}

// NOLINTNEXTLINE(readability-function-size)
Status load_chunk(DayFile& file, std::int64_t id, const BlockHeader& header, std::size_t index,
                  const ChunkTarget& target, ZstdCodec& codec) {
  Result<std::string_view> bytes = file.chunk(id, index);
  if (!bytes) return forward(bytes);
  return decode_chunk(*bytes, header, index, target, codec);
}

Error at_block(Error error, const DayFile& file, const BlockHeader& header) {
  error.where = fmt::format("{}: {} samples of {} from {} to {}", file.path().string(), header.kind,
                            header.host, to_iso8601(header.earliest()), to_iso8601(header.latest()));
  return error;
}

}  // namespace

Result<LoadedBlock> load_block(DayFile& file, std::int64_t id, const BlockHeader& header,
                               std::span<const std::string> counters, ZstdCodec& codec) {
  LoadedBlock loaded;
  std::vector<std::size_t> wanted = wanted_counters(header, counters);
  if (wanted.size() * header.devices.size() * header.times.size() > kMaxCells) {
    return fail(ErrorCode::kDamaged, file.path().string(),
                fmt::format("block {} claims to be too large", id));
  }
  const std::vector<std::size_t> devices = identity_map(header.devices.size());
  // A damaged chunk leaves its column half written, so the table is made again without it: rare.
  for (bool again = true; again;) {
    again = false;
    loaded.table = empty_table(header, wanted);
    for (std::size_t i = 0; i < wanted.size() && !again; ++i) {
      const Status read =
          load_chunk(file, id, header, wanted[i],
                     {.table = loaded.table, .counter = i, .devices = devices, .time_offset = 0}, codec);
      if (read) continue;
      loaded.damage.push_back(at_block(read.error(), file, header));
      wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(i));
      again = true;
    }
  }
  return loaded;
}

namespace {

/// What the merged header says besides counters' chunks.
struct Merge {
  BlockHeader header;
  std::vector<TableCounter> counters;
  std::vector<std::vector<std::size_t>> counter_maps;  ///< Per block: its counters in the union.
  std::vector<std::vector<std::size_t>> device_maps;
};

Merge plan_merge(const std::vector<BlockHeader>& parts) {
  Merge merge;
  merge.header.host = parts.front().host;
  merge.header.kind = parts.front().kind;
  merge.header.boot = parts.front().boot;
  Union all;
  for (const BlockHeader& part : parts) {
    std::vector<TableCounter> counters;
    for (const BlockCounter& c : part.counters) counters.push_back(c.counter);
    merge.counter_maps.push_back(all.add_counters(counters));
    merge.device_maps.push_back(all.add_devices(part.devices));
    merge.header.times.insert(merge.header.times.end(), part.times.begin(), part.times.end());
  }
  merge.header.devices = all.devices();
  merge.counters = all.counters();
  return merge;
}

void merge_presence(Merge& merge, const std::vector<BlockHeader>& parts) {
  const std::size_t samples = merge.header.times.size();
  std::vector<std::vector<std::uint8_t>> present(merge.header.devices.size(),
                                                 std::vector<std::uint8_t>(samples));
  merge.header.active.assign(merge.header.devices.size(), 0);
  std::size_t offset = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t d = 0; d < parts[p].devices.size(); ++d) {
      const std::size_t to = merge.device_maps[p][d];
      merge.header.active[to] += parts[p].active[d];
      parts[p].device_presence(d).for_each([&](std::size_t begin, std::size_t end) {
        std::fill_n(present[to].begin() + static_cast<std::ptrdiff_t>(offset + begin), end - begin, 1);
      });
    }
    offset += parts[p].times.size();
  }
  std::vector<Runs> runs;
  runs.reserve(present.size());
  for (const std::vector<std::uint8_t>& device : present) runs.push_back(Runs::of(device));
  set_presence(merge.header, std::move(runs));
}

struct MergeInput {
  DayFile& file;
  std::span<const std::int64_t> ids;
  const std::vector<BlockHeader>& parts;
  ZstdCodec& codec;
};

/// All samples of one counter of the union.
Result<SampleTable> gather_counter(const MergeInput& in, const Merge& merge, std::size_t counter) {
  SampleTable table{merge.header.host,
                    device_kind(merge.header.kind).value_or(DeviceKind::kDisk),
                    {merge.counters[counter]},
                    merge.header.devices,
                    merge.header.times};
  std::size_t offset = 0;
  for (std::size_t p = 0; p < in.parts.size(); ++p) {
    const auto found = std::ranges::find(merge.counter_maps[p], counter);
    if (found != merge.counter_maps[p].end()) {
      const auto index = static_cast<std::size_t>(found - merge.counter_maps[p].begin());
      const ChunkTarget target{
          .table = table, .counter = 0, .devices = merge.device_maps[p], .time_offset = offset};
      const Status read = load_chunk(in.file, in.ids[p], in.parts[p], index, target, in.codec);
      if (!read) return tl::unexpected<Error>(at_block(read.error(), in.file, in.parts[p]));
    }
    offset += in.parts[p].times.size();
  }
  return table;
}

}  // namespace

Result<std::optional<Block>> merge_blocks(DayFile& file, std::span<const std::int64_t> ids,
                                          ZstdCodec& codec) {
  std::vector<BlockHeader> parts;
  for (const std::int64_t id : ids) {
    Result<BlockHeader> header = file.header(id, codec);
    if (!header) return forward(header);
    parts.push_back(std::move(*header));
  }
  Merge merge = plan_merge(parts);
  const std::size_t samples = merge.header.times.size();
  if (merge.counters.size() > kMaxCounters || samples > kMaxSamples ||
      merge.counters.size() * merge.header.devices.size() * samples > kMaxBlockCells) {
    return std::nullopt;
  }
  merge_presence(merge, parts);
  Block block{.header = merge.header, .chunks = {}};
  for (std::size_t c = 0; c < merge.counters.size(); ++c) {
    Result<SampleTable> table = gather_counter({file, ids, parts, codec}, merge, c);
    if (!table) return forward(table);
    block.chunks.push_back(encode_chunk(*table, 0, block.header, codec));
    block.header.counters.push_back({.counter = merge.counters[c],
                                     .hash = hash_bytes(block.chunks.back()),
                                     .bytes = static_cast<std::uint32_t>(block.chunks.back().size())});
  }
  return block;
}

}  // namespace laggard::archive
