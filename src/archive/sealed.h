#pragma once

#include <string>
#include <string_view>

#include "archive/zstd_codec.h"
#include "base/error.h"

namespace laggard::archive {

/// Bytes that vouch for themselves, wherever they are found:
///   magic of 4 letters, the last of which is a version | xxh3-64 of the rest | size | zstd of the bytes
[[nodiscard]] std::string seal(std::string_view magic, std::string_view bytes, ZstdCodec& codec);

/// \param where  names the place for the error, which is kDamaged, or kTooNew for a later version of the
/// magic.
[[nodiscard]] Result<std::string> unseal(std::string_view magic, std::string_view bytes,
                                         std::string_view where, ZstdCodec& codec);

}  // namespace laggard::archive
