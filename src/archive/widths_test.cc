#include "archive/widths.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "testing/property.h"

namespace laggard::archive {
namespace {

TEST(Widths, AreThoseOfEachDistance) {
  expect_property("any numbers", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const unsigned shift = random() % 64;
    const std::uint64_t base = random();
    std::vector<std::uint64_t> values(1 + random() % 100);
    for (std::uint64_t& value : values) value = base + (random() >> shift) * (random() % 4);
    Widths expected;
    const Bounds bounds = bounds_of(values);
    const auto mid = static_cast<std::int64_t>(values[random() % values.size()]);
    for (const std::uint64_t value : values) {
      RC_ASSERT(static_cast<std::int64_t>(value) >= bounds.low);
      RC_ASSERT(static_cast<std::int64_t>(value) <= bounds.high);
      expected.offset +=
          static_cast<unsigned>(std::bit_width(value - static_cast<std::uint64_t>(bounds.low)));
      const std::uint64_t distance = value - static_cast<std::uint64_t>(mid);
      const bool is_below = distance >> 63 != 0;
      const std::uint64_t magnitude = is_below ? ~distance : distance;
      expected.centred += static_cast<unsigned>(std::bit_width(2 * magnitude + (is_below ? 1 : 0)));
    }
    RC_ASSERT(widths_of(values, bounds, mid) == expected);
  });
}

TEST(Widths, AtTheLimitsOfADouble) {
  for (const unsigned bits : {50U, 51U, 52U, 53U, 62U}) {
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    const std::vector<std::uint64_t> values{0, 1, most, most + 1};
    const Widths widths = widths_of(values, bounds_of(values), 0);
    EXPECT_EQ(widths.offset, 2 * bits + 2) << bits;
    EXPECT_EQ(widths.centred, 2 * bits + 5) << bits;
  }
}

}  // namespace
}  // namespace laggard::archive
