#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "archive/column.h"
#include "archive/tokens.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

/// The form of columns in a chunk, whatever they are columns of:
///   flags, number of streams and which bucket is in which, varint sizes of heads, tokens, packed part and
///   extra bits, then the packed part (zstd of the columns' heads and all tokens) and the extra bits, which
///   are compressed only when that pays: they are mostly noise.
namespace laggard::archive {

/// \param brief  puts all tokens into one stream, which is quick: for what will be packed again soon.
[[nodiscard]] std::string pack_columns(ColumnSink& sink, bool brief, ZstdCodec& codec);

class PackedColumns {
 public:
  /// The most that the columns can need, which bounds the memory that arbitrary bytes can make us use.
  struct Limits {
    std::size_t head_bytes = 0;
    std::size_t values = 0;
  };

  PackedColumns() = default;
  PackedColumns(const PackedColumns&) = delete;
  PackedColumns& operator=(const PackedColumns&) = delete;

  /// False when the bytes make no sense.
  [[nodiscard]] bool open(std::string_view bytes, const Limits& limits, ZstdCodec& codec);
  [[nodiscard]] ByteReader& head() { return head_; }
  [[nodiscard]] TokenReader& tokens() { return tokens_; }
  /// Whether everything has been read without an error.
  [[nodiscard]] bool at_end() const {
    return head_.ok() && head_.rest().empty() && tokens_.tokens_left() == 0;
  }

 private:
  [[nodiscard]] bool open_extra(std::string_view bytes, bool compressed, ZstdCodec& codec);

  std::string packed_;
  std::string extra_;
  std::size_t extra_size_ = 0;
  ByteReader head_{{}};
  TokenReader tokens_;
};

}  // namespace laggard::archive
