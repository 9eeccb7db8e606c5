#include "archive/sealed.h"

#include "archive/block.h"
#include "archive/format.h"
#include "base/bytes.h"

namespace laggard::archive {

std::string seal(std::string_view magic, std::string_view bytes, ZstdCodec& codec) {
  ByteWriter body;
  body.varint(bytes.size());
  body.raw(codec.compress(bytes));
  ByteWriter framed;
  framed.raw(magic);
  framed.u64(hash_bytes(body.str()));
  framed.raw(body.str());
  return framed.take();
}

Result<std::string> unseal(std::string_view magic, std::string_view bytes, std::string_view where,
                           ZstdCodec& codec) {
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
  if (!framed.ok() || hash_bytes(framed.rest()) != hash) return damaged("its checksum does not hold");
  const std::size_t size = framed.count(kMaxHeaderBytes);
  std::string raw;
  if (!framed.ok() || !codec.decompress(framed.rest(), size, raw)) return damaged("it does not decompress");
  return raw;
}

}  // namespace laggard::archive
