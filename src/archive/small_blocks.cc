#include "archive/small_blocks.h"

#include <algorithm>

#include "archive/batch.h"
#include "archive/limits.h"
#include "archive/load.h"
#include "archive/observation_columns.h"

namespace laggard::archive {

void SmallBlocks::found(const BlockRow& row) {
  if (!is_small(row.samples)) {
    blocks_.clear();
    return;
  }
  blocks_.push_back(
      {.id = row.id, .earliest = row.earliest, .latest = row.latest, .rows = row.samples, .cells = 0});
}

Status SmallBlocks::wrote(std::int64_t id, const StoredBlock& block, std::size_t cells, DayFile& file,
                          ZstdCodec& codec) {
  if (!is_small(block.samples)) {
    Status done = merge(file, codec, true);
    if (done) blocks_.clear();
    return done;
  }
  blocks_.push_back(
      {.id = id, .earliest = block.earliest, .latest = block.latest, .rows = block.samples, .cells = cells});
  return {};
}

bool SmallBlocks::are_enough() const {
  std::size_t rows = 0;
  std::size_t cells = 0;
  for (const SmallBlock& block : blocks_) {
    rows += block.rows;
    cells += block.cells;
  }
  const bool many = stream_ != Stream::kMetrics && blocks_.size() >= kMostSmallBlocks;
  return rows >= block_rows(stream_) || cells >= kMaxBlockCells / 2 || many;
}

/// Whether no other block of samples of the kind lies between these in time: merging across it would give
/// tables that overlap, which readers would have to return out of order. Events are kept as they were
/// recorded, and a long one is recorded late anyway.
Result<bool> SmallBlocks::may_merge(DayFile& file) const {
  if (stream_ != Stream::kMetrics) return true;
  const WallTime earliest = std::ranges::min_element(blocks_, {}, &SmallBlock::earliest)->earliest;
  const WallTime latest = std::ranges::max_element(blocks_, {}, &SmallBlock::latest)->latest;
  Result<std::vector<BlockRow>> rows = file.rows();
  if (!rows) return forward(rows);
  return std::ranges::none_of(*rows, [&](const BlockRow& row) {
    const bool between = row.earliest < latest && row.latest > earliest;
    return between && row.kind == kind_ &&
           std::ranges::find(blocks_, row.id, &SmallBlock::id) == blocks_.end();
  });
}

Result<std::optional<StoredBlock>> SmallBlocks::merged(DayFile& file, std::span<const std::int64_t> ids,
                                                       ZstdCodec& codec) const {
  if (stream_ != Stream::kMetrics) return merge_observations(file, ids, codec);
  Result<std::optional<Block>> block = merge_blocks(file, ids, codec);
  if (!block) return forward(block);
  if (!block->has_value()) return std::nullopt;
  return stored(std::move(**block), codec);
}

Status SmallBlocks::merge(DayFile& file, ZstdCodec& codec, bool all) {
  if (blocks_.size() < 2 || (!all && !are_enough())) return {};
  Result<bool> alone = may_merge(file);
  if (!alone) return forward(alone);
  std::vector<std::int64_t> ids;
  for (const SmallBlock& block : blocks_) ids.push_back(block.id);
  blocks_.clear();
  while (*alone && ids.size() > 1) {
    Result<std::optional<StoredBlock>> block = merged(file, ids, codec);
    if (!block && block.error().code == ErrorCode::kDamaged) return {};
    if (!block) return forward(block);
    if (block->has_value()) return file.replace_blocks(ids, **block);
    ids.resize(ids.size() / 2);  // Too many devices or words came and went: the rest stays small.
  }
  return {};
}

}  // namespace laggard::archive
