#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/day_file.h"
#include "archive/format.h"
#include "archive/zstd_codec.h"
#include "base/error.h"
#include "base/time.h"

namespace laggard::archive {

/// The last blocks of one kind in a file that are still small, of fewer than half of `block_rows`: each flush
/// of a recorder makes one. They are merged into a large one when there are enough of them.
class SmallBlocks {
 public:
  SmallBlocks(Stream stream, std::string kind) : stream_(stream), kind_(std::move(kind)) {}

  /// The next block of the kind, as it stands in the file. A large one ends what can be merged.
  void found(const BlockRow& row);
  /// The next block of the kind, which has just been written. \param cells  values in it.
  [[nodiscard]] Status wrote(std::int64_t id, const StoredBlock& block, std::size_t cells, DayFile& file,
                             ZstdCodec& codec);
  /// Merges them when they make a large block, or `all` of them however few they are. A block that cannot be
  /// read stays as it is, for the reader to report.
  [[nodiscard]] Status merge(DayFile& file, ZstdCodec& codec, bool all);
  void forget() { blocks_.clear(); }

 private:
  struct SmallBlock {
    std::int64_t id;
    WallTime earliest;
    WallTime latest;
    std::size_t rows;
    std::size_t cells;
  };

  [[nodiscard]] bool is_small(std::size_t rows) const { return rows < block_rows(stream_) / 2; }
  [[nodiscard]] bool are_enough() const;
  [[nodiscard]] Result<bool> may_merge(DayFile& file) const;
  [[nodiscard]] Result<std::optional<StoredBlock>> merged(DayFile& file, std::span<const std::int64_t> ids,
                                                          ZstdCodec& codec) const;

  Stream stream_;
  std::string kind_;
  std::vector<SmallBlock> blocks_;
};

}  // namespace laggard::archive
