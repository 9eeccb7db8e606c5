#include "archive/widths.h"

#include <algorithm>
#include <bit>

#include "base/clones.h"

namespace laggard::archive {

namespace {

constexpr unsigned kFractionBits = 52;  ///< Of a double.

/// The exponent of x < 2^52 as a double, which is 1022 plus the significant bits of x, and 0 of 0.
LAGGARD_INLINE std::uint64_t exponent_of(std::uint64_t x) {
  constexpr double kUnit = 0x1p52;  // Its fraction is 0, and becomes x.
  const double real = std::bit_cast<double>(x | std::bit_cast<std::uint64_t>(kUnit)) - kUnit;
  return std::bit_cast<std::uint64_t>(real) >> kFractionBits;
}

/// Of distances below 2^51: by doubles, many at once.
LAGGARD_CLONES Widths short_widths_of(std::span<const std::uint64_t> values, std::uint64_t low,
                                      std::uint64_t mid) {
  constexpr std::uint64_t kExponentOfHalf = 1022;
  Widths exponents;
  Widths zeros;
  for (const std::uint64_t value : values) {
    const std::uint64_t offset = value - low;
    const std::uint64_t centred = zigzag(value - mid);
    exponents.offset += exponent_of(offset);
    exponents.centred += exponent_of(centred);
    zeros.offset += offset == 0 ? 1 : 0;
    zeros.centred += centred == 0 ? 1 : 0;
  }
  return {.offset = exponents.offset - kExponentOfHalf * (values.size() - zeros.offset),
          .centred = exponents.centred - kExponentOfHalf * (values.size() - zeros.centred)};
}

}  // namespace

LAGGARD_CLONES Bounds bounds_of(std::span<const std::uint64_t> values) {
  Bounds bounds;
  for (const std::uint64_t value : values) {
    bounds.low = std::min(bounds.low, static_cast<std::int64_t>(value));
    bounds.high = std::max(bounds.high, static_cast<std::int64_t>(value));
  }
  return bounds;
}

Widths widths_of(std::span<const std::uint64_t> values, const Bounds& bounds, std::int64_t mid) {
  if (bounds.low == bounds.high) return {};
  const auto least = static_cast<std::uint64_t>(bounds.low);
  const auto middle = static_cast<std::uint64_t>(mid);
  const std::uint64_t range = static_cast<std::uint64_t>(bounds.high) - least;
  if (range < (std::uint64_t{1} << (kFractionBits - 1))) return short_widths_of(values, least, middle);
  Widths widths;
  for (const std::uint64_t value : values) {
    widths.offset += static_cast<unsigned>(std::bit_width(value - least));
    widths.centred += static_cast<unsigned>(std::bit_width(zigzag(value - middle)));
  }
  return widths;
}

}  // namespace laggard::archive
