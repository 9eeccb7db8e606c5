#pragma once

#include <cstdint>
#include <optional>

#include "archive/day_file.h"

namespace laggard::archive {

/// Leaves out of a table what a file already holds: cells of the same kind, device, counter and time with the
/// same value, in any of the file's records of that time or in an earlier row of the table itself. Any
/// record, not the last only: a source that has a time twice with two values then stays as it is when
/// imported again.
class ExistingCells {
 public:
  ExistingCells(DayFile& file, ZstdCodec& codec) : file_(file), codec_(codec) {}

  /// Removes those cells and what is empty without them. \return how many cells went.
  [[nodiscard]] Result<std::uint64_t> remove_from(SampleTable& table);

 private:
  [[nodiscard]] Result<std::uint64_t> remove_block(const BlockRow& row, SampleTable& table);

  DayFile& file_;
  ZstdCodec& codec_;
  /// The block that was unpacked last: the next table mostly meets it again.
  std::optional<std::int64_t> cached_id_;
  SampleTable cached_;
};

}  // namespace laggard::archive
