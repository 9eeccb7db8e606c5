#include "report/pack.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace laggard::report {
namespace {

std::vector<std::uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }

/// What web/report/unpack.js does.
double decode(std::int16_t code, int exponent) {
  if (code == Packer::missing()) return std::nan("");
  const int size = std::abs(int{code});
  const int decade = size < 10000 ? 0 : 1 + (size - 10000) / 9000;
  const int mantissa = size < 10000 ? size : 1000 + (size - 10000) % 9000;
  return (code < 0 ? -1 : 1) * mantissa * std::pow(10.0, exponent + decade);
}

TEST(Base64, TheVectorsOfRfc4648) {
  EXPECT_EQ(base64(bytes("")), "");
  EXPECT_EQ(base64(bytes("f")), "Zg==");
  EXPECT_EQ(base64(bytes("fo")), "Zm8=");
  EXPECT_EQ(base64(bytes("foo")), "Zm9v");
  EXPECT_EQ(base64(bytes("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(from_hex("00ff10")), "AP8Q");
}

TEST(Packer, KeepsFourDigitsAndMissing) {
  Packer packer(54321);
  const Packed packed = packer.take();
  EXPECT_EQ(decode(packer.encode(54321), packed.exponent), 54320);
  EXPECT_EQ(decode(packer.encode(-54326), packed.exponent), -54330);
  EXPECT_EQ(decode(packer.encode(99.94), packed.exponent), 99.9)
      << "a thousandth of the largest has three or four digits";
  EXPECT_EQ(packer.encode(0), 0);
  EXPECT_EQ(packer.encode(std::numeric_limits<double>::quiet_NaN()), Packer::missing());
  EXPECT_EQ(packer.encode(std::numeric_limits<double>::infinity()), Packer::missing());
}

TEST(Packer, EveryCodeComesBack) {
  Packer packer(9999);
  const int exponent = packer.take().exponent;
  for (int code = -27999; code < 28000; ++code) {
    ASSERT_EQ(packer.encode(decode(static_cast<std::int16_t>(code), exponent)), code);
  }
}

TEST(Packer, PowersOfTenAndTheirNeighboursFit) {
  for (const double top : {1.0, 10.0, 1000.0, 0.1, 0.001, 99995.0, 9999.6, 1e-30, 1e30, 0.0}) {
    Packer packer(top);
    const double back = decode(packer.encode(top), packer.take().exponent);
    EXPECT_NEAR(back, top, 5e-4 * top) << top;
  }
}

RC_GTEST_PROP(Packer, FourDigitsDownToAHundredthOfTheLargest, (float a, float b)) {
  const auto top = static_cast<double>(std::max(std::abs(a), std::abs(b)));
  RC_PRE(std::isfinite(top) && top > 1e-30);
  Packer packer(top);
  for (const float value : {a, b}) {
    const double back = decode(packer.encode(static_cast<double>(value)), packer.take().exponent);
    const double error = std::abs(back - static_cast<double>(value));
    RC_ASSERT(error <= std::max(5.1e-4 * std::abs(static_cast<double>(value)), 5.1e-6 * top));
  }
}

}  // namespace
}  // namespace laggard::report
