#pragma once

#include <cstdint>
#include <string_view>

namespace laggard {

/// XXH3 with 64 bits: tells damage, not malice. \param seed  of another sum chains the two, so that neither
/// can be moved or left out unnoticed.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace laggard
