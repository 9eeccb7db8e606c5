#pragma once

#include <cstdint>
#include <span>

/// How many bits numbers need, which decides in which form a column is the smallest.
namespace laggard::archive {

/// A difference modulo 2^64 with its sign in the lowest bit, so that it is small on both sides of zero.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (~(difference >> 63) + 1);
}

/// The least and the greatest of numbers of either sign.
struct Bounds {
  std::int64_t low = INT64_MAX;
  std::int64_t high = INT64_MIN;
};
[[nodiscard]] Bounds bounds_of(std::span<const std::uint64_t> values);

/// The significant bits of all distances together.
struct Widths {
  std::uint64_t offset = 0;   ///< From the least.
  std::uint64_t centred = 0;  ///< From a middle one, with their signs (zigzag).
  bool operator==(const Widths&) const = default;
};
/// \param bounds  of these values.
[[nodiscard]] Widths widths_of(std::span<const std::uint64_t> values, const Bounds& bounds, std::int64_t mid);

}  // namespace laggard::archive
