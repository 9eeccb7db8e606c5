#include "archive/zstd_codec.h"

#include <zstd_errors.h>

#include <new>

#include "archive/format.h"
#include "base/bytes.h"
#include "base/error.h"

namespace laggard::archive {

namespace {

/// A lack of memory is thrown like any other: it says nothing about the data, which may be sound.
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

std::string seal(std::string_view magic, std::string_view bytes, ZstdCodec& codec) {
  ByteWriter body;
  body.varint(bytes.size());
  body.raw(codec.compress(bytes));
  ByteWriter framed;
  framed.raw(magic);
  framed.u64(checksum(body.str()));
  framed.raw(body.str());
  return framed.take();
}

Result<std::string> unseal(std::string_view magic, std::string_view bytes, std::string_view where,
                           ZstdCodec& codec, std::size_t most) {
  const auto damaged = [&](std::string_view what) {
    return fail(ErrorCode::kDamaged, std::string(where), fmt::format("damaged block header: {}", what));
  };
  ByteReader framed{bytes};
  const std::string_view found = framed.take(magic.size());
  if (found != magic) {
    const std::size_t name = magic.size() - 1;
    if (found.substr(0, name) != magic.substr(0, name)) return damaged("it does not start like one");
    return fail(
        ErrorCode::kTooNew, std::string(where),
        fmt::format("block of layout '{}', written by a later laggard; this one reads '{}'", found, magic));
  }
  const std::uint64_t hash = framed.u64();
  if (!framed.ok() || checksum(framed.rest()) != hash) return damaged("its checksum does not hold");
  const std::size_t size = framed.count(most);
  std::string raw;
  if (!framed.ok() || !codec.decompress(framed.rest(), size, raw)) return damaged("it does not decompress");
  return raw;
}

}  // namespace laggard::archive
