#include "report/page_data.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/examples.h"

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
  EXPECT_EQ(base64(std::array<std::uint8_t, 3>{0x00, 0xff, 0x10}), "AP8Q");
}

TEST(Base64, LongDataIsOneTextWithOnePadding) {
  const std::size_t groups = (std::size_t{1} << 20) + 5;
  std::string expected;
  for (std::size_t i = 0; i < groups; ++i) expected += "Zm9v";
  std::string text;
  for (std::size_t i = 0; i < groups; ++i) text += "foo";
  EXPECT_TRUE(base64(bytes(text + "f")) == expected + "Zg==");
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

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

PeerPlot plot_of(std::vector<std::vector<float>> values) {
  PeerPlot plot;
  for (std::size_t i = 0; i < values.front().size(); ++i)
    plot.times.push_back(examples::at(static_cast<int>(i)));
  plot.components.resize(values.size());
  plot.values = std::move(values);
  return plot;
}

TEST(Thinned, ShortPlotsStayAsTheyAre) {
  const PeerPlot plot = plot_of({{1, 2, 3, 4}});
  EXPECT_EQ(thinned(plot, 4).values, plot.values);
}

TEST(Thinned, KeepsExtremesInTheirOrder) {
  const PeerPlot plot =
      thinned(plot_of({{1, 9, 2, 3, 8, 4, 0, 5}, {5, 5, 5, 5, kMissing, 7, kMissing, kMissing}}), 4);
  EXPECT_EQ(plot.values[0], (std::vector<float>{1, 9, 8, 0}));
  EXPECT_EQ(plot.values[1], (std::vector<float>{5, 5, 7, 7}));
  EXPECT_EQ(plot.times,
            (std::vector<WallTime>{examples::at(0), examples::at(2), examples::at(4), examples::at(6)}));
}

TEST(Thinned, AWholeBucketOfNothingIsMissing) {
  const PeerPlot plot = thinned(plot_of({{1, 2, kMissing, kMissing}}), 2);
  EXPECT_EQ(plot.values[0].size(), 2U);
  const PeerPlot gap = thinned(plot_of({{1, 2, 3, 4, kMissing, kMissing, kMissing, kMissing}}), 4);
  EXPECT_TRUE(std::isnan(gap.values[0][2]) && std::isnan(gap.values[0][3]));
}

RC_GTEST_PROP(Thinned, NeverTooManyNeverLosesAnExtreme, (const std::vector<float>& values)) {
  RC_PRE(values.size() >= 2 && std::ranges::none_of(values, [](float v) { return std::isnan(v); }));
  const auto most = *rc::gen::inRange<std::size_t>(2, 40);
  const PeerPlot plot = thinned(plot_of({values}), most);
  RC_ASSERT(plot.times.size() <= std::max<std::size_t>(most, 2));
  RC_ASSERT(plot.times.size() == plot.values[0].size());
  RC_ASSERT(std::ranges::is_sorted(plot.times));
  RC_ASSERT(std::ranges::max(plot.values[0]) == std::ranges::max(values));
  RC_ASSERT(std::ranges::min(plot.values[0]) == std::ranges::min(values));
}

TEST(Thinned, AMapKeepsItsWorstScores) {
  ScoreMap map;
  map.window_length = std::chrono::seconds(2);
  for (int i = 0; i < 5; ++i) map.windows.push_back(examples::at(i));
  map.components = {"a"};
  map.scores = {{0.5F, kMissing, kMissing, kMissing, 3}};
  const ScoreMap thin = thinned(map, 3);
  EXPECT_EQ(thin.windows, (std::vector<WallTime>{examples::at(0), examples::at(2), examples::at(4)}));
  EXPECT_EQ(thin.scores[0][0], 0.5F);
  EXPECT_TRUE(std::isnan(thin.scores[0][1]));
  EXPECT_EQ(thin.scores[0][2], 3);
  EXPECT_EQ(thin.window_length, std::chrono::seconds(3));
}

}  // namespace
}  // namespace laggard::report
