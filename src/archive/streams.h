#pragma once

#include <string_view>

#include "archive/tokens.h"

namespace laggard::archive {

/// Which buckets share a stream and so a Huffman table: neighbours are put together as long as one table for
/// both costs less than two. With few tokens everything ends in one stream. \return  streams numbered from 0
/// without holes, in the order of buckets.
[[nodiscard]] StreamMap choose_streams(std::string_view tokens, std::string_view buckets);

[[nodiscard]] constexpr std::size_t count_streams(const StreamMap& map) {
  std::size_t most = 0;
  for (const std::uint8_t stream : map) most = stream > most ? stream : most;
  return most + 1;
}

}  // namespace laggard::archive
