#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/format.h"
#include "archive/zstd_codec.h"
#include "base/error.h"
#include "base/time.h"
#include "model/dictionary.h"

/// A block of events or profiles: named columns of numbers, and the dictionary of the words among them. As
/// with samples (block.h) a *header* stands on its own and a *chunk* holds one column. This part knows
/// nothing of what the columns mean: that is observation_columns.h.
namespace laggard::archive {

enum class ColumnForm : std::uint8_t {
  kText = 0,     ///< The dictionary: values are bytes.
  kNumbers = 1,  ///< Integers of either sign, times among them.
  kReals = 2,    ///< The bits of doubles.
  kWords = 3,    ///< Words of the dictionary, or kNoWord.
};

struct ColumnInfo {
  std::string name;
  ColumnForm form = ColumnForm::kNumbers;
  std::size_t values = 0;
  std::uint64_t hash = 0;   ///< Checksum of the chunk: proves that it is whole and belongs to this header.
  std::uint32_t bytes = 0;  ///< Size of the chunk.
  bool operator==(const ColumnInfo&) const = default;
};

struct ColumnsHeader {
  Stream stream = Stream::kEvents;
  std::string host;
  std::string kind;
  std::string boot;
  WallTime earliest;  ///< Over events, starts of periods, and losses.
  WallTime latest;
  std::size_t rows = 0;  ///< Events or periods.
  /// The rows and losses of a kind are numbered within their file; this is the number of the block's first.
  /// Blocks with the same number hold the same row: after a merge, salvage may still find the small blocks.
  std::uint64_t first_number = 0;
  std::size_t losses = 0;
  std::uint64_t lost = 0;  ///< How much was lost in all losses together.
  std::size_t words = 0;
  std::vector<ColumnInfo> columns;  ///< The dictionary first.

  /// One past the last number.
  [[nodiscard]] std::uint64_t end_number() const { return first_number + rows + losses; }
  bool operator==(const ColumnsHeader&) const = default;
};

struct Column {
  std::string name;
  ColumnForm form = ColumnForm::kNumbers;
  std::vector<std::uint64_t> values;
};

struct Columns {
  ColumnsHeader header;  ///< Without `columns` and `words` before it is encoded.
  Dictionary words;
  std::vector<Column> columns;
};

struct ColumnsBlock {
  ColumnsHeader header;
  std::vector<std::string> chunks;  ///< One for each of header.columns.
};

[[nodiscard]] std::string encode_columns_header(const ColumnsHeader& header, ZstdCodec& codec);
/// \param where  the place for the error, which is always kDamaged or kTooNew.
[[nodiscard]] Result<ColumnsHeader> decode_columns_header(std::string_view bytes, std::string_view where,
                                                          ZstdCodec& codec);

/// Requires columns within the limits of format.h.
[[nodiscard]] ColumnsBlock encode_columns(Columns columns, ZstdCodec& codec);

/// Where the bytes of a block's chunks come from, by their index in the header. They are valid until the next
/// call.
using ColumnSource = std::function<Result<std::string_view>(std::size_t column)>;

struct DecodedColumns {
  Columns columns;            ///< The sound ones.
  std::vector<Error> damage;  ///< What is wrong with the others.
};
/// kDamaged when the dictionary is damaged, without which nothing has a meaning. \param where  begins all
/// errors.
[[nodiscard]] Result<DecodedColumns> decode_columns(const ColumnSource& chunks, const ColumnsHeader& header,
                                                    std::string_view where, ZstdCodec& codec);

/// Decodes only the dictionary.
[[nodiscard]] Result<Dictionary> decode_words(const ColumnSource& chunks, const ColumnsHeader& header,
                                              std::string_view where, ZstdCodec& codec);

/// `events of kind log of fs1 from … to …`: what is lost when the block is.
[[nodiscard]] std::string describe(const ColumnsHeader& header);

}  // namespace laggard::archive
