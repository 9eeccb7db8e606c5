#include "base/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace laggard {

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace laggard
