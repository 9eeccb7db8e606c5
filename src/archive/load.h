#pragma once

#include <span>
#include <string>
#include <vector>

#include "archive/day_file.h"

namespace laggard::archive {

struct LoadedBlock {
  SampleTable table;
  std::vector<Error> damage;  ///< Counters that are missing from the table because their chunk is damaged.
};

/// Values of a block whose header was read before. \param counters  the names wanted; empty means all.
[[nodiscard]] Result<LoadedBlock> load_block(DayFile& file, std::int64_t id, const BlockHeader& header,
                                             std::span<const std::string> counters, ZstdCodec& codec);

/// The blocks `ids`, which follow each other in recording, as one; nothing when that would exceed what a
/// block may hold. Goes counter by counter, so that it never holds more than one of them unpacked.
[[nodiscard]] Result<std::optional<Block>> merge_blocks(DayFile& file, std::span<const std::int64_t> ids,
                                                        ZstdCodec& codec);

}  // namespace laggard::archive
