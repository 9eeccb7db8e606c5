#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/day_file.h"

namespace laggard::archive {

struct LoadedBlock {
  SampleTable table;
  std::vector<Error> damage;  ///< One for each counter that is missing because its chunk is damaged.
};

/// The values of a block whose header was read before. \param counters  the names wanted; empty means all.
[[nodiscard]] Result<LoadedBlock> load_block(DayFile& file, std::int64_t id, const BlockHeader& header,
                                             std::span<const std::string> counters, ZstdCodec& codec);

/// A block that was fetched from its file but is not unpacked yet.
struct FetchedBlock {
  std::string file;
  BlockHeader header;
  std::vector<Result<std::string>> chunks;  ///< By counter of the header; empty where it is not needed.
};

/// Fetches what load_block would read, without unpacking it.
[[nodiscard]] FetchedBlock fetch_block(DayFile& file, std::int64_t id, BlockHeader header,
                                       std::span<const std::string> counters);
[[nodiscard]] Result<LoadedBlock> load_block(const FetchedBlock& block, std::span<const std::string> counters,
                                             ZstdCodec& codec);

/// Where the bytes of a block's chunks come from, by the counter's index in the header. They are valid until
/// the next call.
using ChunkSource = std::function<Result<std::string_view>(std::size_t counter)>;

/// The same from any source. \param file  named in errors.
[[nodiscard]] Result<LoadedBlock> load_block(const ChunkSource& chunks, std::string_view file,
                                             const BlockHeader& header, std::span<const std::string> counters,
                                             ZstdCodec& codec);

/// Merges the blocks `ids`, which are consecutive in recording; nothing when that would exceed what a block
/// may hold.
[[nodiscard]] Result<std::optional<Block>> merge_blocks(DayFile& file, std::span<const std::int64_t> ids,
                                                        ZstdCodec& codec);

}  // namespace laggard::archive
