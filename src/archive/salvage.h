#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/batch.h"
#include "archive/day_file.h"

namespace laggard::archive {

/// A block that is known to have existed and of which something is lost.
struct LostBlock {
  std::string kind;
  WallTime earliest;
  WallTime latest;
  std::string
      what;  ///< Of samples `all counters` or the names of those that are gone; else a sentence's end.
  bool operator==(const LostBlock&) const = default;
};

struct Salvage {
  std::vector<SampleTable> tables;  ///< In order of recording; samples on pages that SQLite freed may repeat.
  /// Events or profiles, each row once, in the order of recording within a kind.
  std::vector<Batch> observations;
  std::vector<LostBlock> lost;
  Facts facts;
  std::vector<GapRow> gaps;
  bool cut = false;                  ///< The end of the file is missing.
  Stream stream = Stream::kMetrics;  ///< Of the first block.
  std::string host;                  ///< Of the first block; empty when there is none.
};

/// Searches a damaged file. Values are taken only from chunks whose checksum matches the one in a header
/// whose own checksum holds.
[[nodiscard]] Result<Salvage> salvage_file(const std::filesystem::path& path);

}  // namespace laggard::archive
