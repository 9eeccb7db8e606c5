#include "archive/zstd_codec.h"

#include "base/error.h"

namespace laggard::archive {

ZstdCodec::ZstdCodec(int level) : compressor_(ZSTD_createCCtx()), decompressor_(ZSTD_createDCtx()) {
  LAGGARD_CHECK(compressor_ != nullptr && decompressor_ != nullptr);
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    LAGGARD_CHECK(ZSTD_isError(ZSTD_CCtx_setParameter(compressor_.get(), parameter, value)) == 0);
  };
  set(ZSTD_c_compressionLevel, level);
  set(ZSTD_c_contentSizeFlag, 0);
  set(ZSTD_c_checksumFlag, 0);
}

std::string ZstdCodec::compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(compressor_.get(), out.data(), out.size(), bytes.data(), bytes.size());
  LAGGARD_CHECK(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

bool ZstdCodec::decompress(std::string_view frame, std::size_t size, std::string& out, std::size_t slack) {
  out.assign(size + slack, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor_.get(), out.data(), size, frame.data(), frame.size());
  return ZSTD_isError(got) == 0 && got == size;
}

}  // namespace laggard::archive
