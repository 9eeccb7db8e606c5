#include "archive/zstd_codec.h"

#include <zstd_errors.h>

#include <new>

#include "base/error.h"

namespace laggard::archive {

namespace {

/// Of zstd's own memory as of any other: nothing is said of the data, which may be sound.
std::size_t with_memory(std::size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  return result;
}

}  // namespace

ZstdCodec::ZstdCodec(int level) : compressor_(ZSTD_createCCtx()), decompressor_(ZSTD_createDCtx()) {
  if (compressor_ == nullptr || decompressor_ == nullptr) throw std::bad_alloc();
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    LAGGARD_CHECK(ZSTD_isError(with_memory(ZSTD_CCtx_setParameter(compressor_.get(), parameter, value))) ==
                  0);
  };
  set(ZSTD_c_compressionLevel, level);
  set(ZSTD_c_contentSizeFlag, 0);
  set(ZSTD_c_checksumFlag, 0);
}

std::string ZstdCodec::compress(std::string_view bytes) { return compress(std::span(&bytes, 1)); }

std::string ZstdCodec::compress(std::span<const std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string out(ZSTD_compressBound(size) + parts.size() * 16, '\0');
  ZSTD_outBuffer to{.dst = out.data(), .size = out.size(), .pos = 0};
  ZSTD_CCtx_reset(compressor_.get(), ZSTD_reset_session_only);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    ZSTD_inBuffer from{.src = parts[p].data(), .size = parts[p].size(), .pos = 0};
    const ZSTD_EndDirective directive = p + 1 == parts.size() ? ZSTD_e_end : ZSTD_e_flush;
    // The output has room for everything, so one call takes the whole part.
    const std::size_t left = with_memory(ZSTD_compressStream2(compressor_.get(), &to, &from, directive));
    LAGGARD_CHECK(left == 0);
  }
  out.resize(to.pos);
  return out;
}

bool ZstdCodec::decompress(std::string_view frame, std::size_t size, std::string& out, std::size_t slack) {
  out.assign(size + slack, '\0');
  const std::size_t got =
      with_memory(ZSTD_decompressDCtx(decompressor_.get(), out.data(), size, frame.data(), frame.size()));
  return ZSTD_isError(got) == 0 && got == size;
}

}  // namespace laggard::archive
