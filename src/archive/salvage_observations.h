#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/columns.h"
#include "archive/salvage.h"

namespace laggard::archive {

/// What a search finds of events and profiles. Every row has a number in its file and kind (ColumnsHeader),
/// so that blocks that were merged and are found again in their parts give each row once, and what is missing
/// can be counted.
class FoundObservations {
 public:
  /// A row of the table `block`, whether its header is whole or not, of whichever stream.
  struct Row {
    std::string kind;
    WallTime earliest;
    WallTime latest;
    std::int64_t rows = 0;
  };
  using ChunkFinder = std::function<Result<std::string_view>(std::uint64_t hash)>;

  void add_block(Row row) { rows_.push_back(std::move(row)); }
  /// Whether the bytes are a whole header of events or profiles; then it is kept.
  bool add_header(std::string_view bytes, ZstdCodec& codec);
  [[nodiscard]] bool any() const { return !headers_.empty(); }
  /// Puts what is sound into `salvage`, and what is known to be lost.
  void finish(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage);

 private:
  struct Part {
    ColumnsHeader header;
    Batch batch;
  };
  void load(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage);
  void take_each_row_once(Salvage& salvage);
  void report_rows_alone(Salvage& salvage) const;

  std::vector<Row> rows_;
  std::vector<ColumnsHeader> headers_;
  std::vector<Part> parts_;
  std::vector<ColumnsHeader> lost_;  ///< Whose chunks are not all there.
};

}  // namespace laggard::archive
