#include "report/thin.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/examples.h"

namespace laggard::report {
namespace {

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
