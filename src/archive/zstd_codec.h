#pragma once

#include <zstd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "archive/format.h"
#include "base/error.h"

namespace laggard::archive {

/// zstd with its contexts kept, since making them costs more than a small frame. Not for two threads at once.
/// When zstd runs out of memory this throws std::bad_alloc, as the strings that it fills do.
class ZstdCodec {
 public:
  explicit ZstdCodec(int level = kDefaultLevel);
  static constexpr int kDefaultLevel = 1;

  /// Without content size and checksum: the block header knows the first, our own hash covers the second.
  [[nodiscard]] std::string compress(std::string_view bytes);
  /// One frame of all parts, in which each part has its own blocks and so its own Huffman tables.
  [[nodiscard]] std::string compress(std::span<const std::string_view> parts);
  /// Exactly `size` bytes, or false. `out` has `slack` more zero bytes after them.
  [[nodiscard]] bool decompress(std::string_view frame, std::size_t size, std::string& out,
                                std::size_t slack = 0);

 private:
  struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  struct FreeDecompressor {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor_;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> decompressor_;
};

/// Compresses bytes into a form that can be verified wherever it is found:
///   magic of 4 letters, the last of which is a version | xxh3-64 of the rest | size | zstd of the bytes
[[nodiscard]] std::string seal(std::string_view magic, std::string_view bytes, ZstdCodec& codec);

/// Unpacks sealed bytes.
/// \param where  the place for the error, which is kDamaged, or kTooNew for a later version of the magic.
/// \param most   so many bytes at most: more are kDamaged.
[[nodiscard]] Result<std::string> unseal(std::string_view magic, std::string_view bytes,
                                         std::string_view where, ZstdCodec& codec,
                                         std::size_t most = kMaxHeaderBytes);

}  // namespace laggard::archive
