#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "archive/file_set.h"
#include "model/series_source.h"

namespace laggard::archive {

/// One block of one file of a FileSet.
struct BlockRef {
  std::size_t file = 0;
  BlockRow row;
};

/// Blocks of one host and kind in reading order: groups of blocks that overlap in time follow each other by
/// time, blocks within a group by recording. `blocks` are in order of recording.
[[nodiscard]] std::vector<BlockRef> reading_order(std::vector<BlockRef> blocks);

/// \param files  outlives the reader.
[[nodiscard]] std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request);

}  // namespace laggard::archive
