#pragma once

#include <cstdint>
#include <optional>

#include "archive/day_file.h"

namespace laggard::archive {

/// Removes from a table the cells that a file already holds: those of the same kind, device, counter and time
/// with the same value, in any of the file's records of that time or in an earlier row of the table itself.
/// Any record counts, not only the last, so that importing a source with two values for one time again adds
/// nothing.
class ExistingCells {
 public:
  ExistingCells(DayFile& file, ZstdCodec& codec) : file_(file), codec_(codec) {}

  /// Removes those cells, and the rows and columns that become empty. \return how many cells were removed.
  [[nodiscard]] Result<std::uint64_t> remove_from(SampleTable& table);

 private:
  [[nodiscard]] Result<std::uint64_t> remove_block(const BlockRow& row, SampleTable& table);

  DayFile& file_;
  ZstdCodec& codec_;
  /// The block that was unpacked last: the next table usually needs it again.
  std::optional<std::int64_t> cached_id_;
  SampleTable cached_;
};

}  // namespace laggard::archive
