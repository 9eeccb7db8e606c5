#include "detect/peer/compare/comparer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "detect/peer/compare/definition.h"

namespace laggard::detect {
namespace {

constexpr std::size_t kWindowSize = 64;

/// Positions on the scale of what `distance` says about a window.
std::vector<double> positions(Distance distance, const definition::Samples& samples) {
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(Window{.start = {},
                       .interval = std::chrono::seconds(1),
                       .components = samples.size(),
                       .size = samples.front().size(),
                       .values = values});
  const auto comparer = make_comparer(distance, {});
  comparer->load(sorted);
  std::vector<double> s(samples.size());
  comparer->scores(s);
  const Scale scale = ScaleMaker().make(distance, {}, sorted, s);
  for (double& x : s) x = (x - scale.zero) / scale.unit;
  return s;
}

/// Components around 100 with a spread of 10; the first one `shift` higher.
definition::Samples normal(std::size_t components, double shift, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> sample(100, 10);
  definition::Samples samples(components, std::vector<double>(kWindowSize));
  for (std::size_t i = 0; i < components; ++i) {
    for (double& x : samples[i]) x = sample(random) + (i == 0 ? shift : 0);
  }
  return samples;
}

TEST(Scale, AShiftIsAboutAsManyBinsToEveryDistanceInBins) {
  const std::vector<double> cdf = positions(Distance::kCdf, normal(9, 200));
  ASSERT_GT(cdf[0], 20);
  for (const Distance distance : {Distance::kWasserstein, Distance::kMedian, Distance::kThresh}) {
    const std::vector<double> other = positions(distance, normal(9, 200));
    EXPECT_NEAR(other[0] / cdf[0], 1, 0.1) << to_name(distance);
    for (std::size_t i = 1; i < other.size(); ++i) EXPECT_LT(other[i], 3) << to_name(distance);
  }
}

TEST(Scale, NeitherUnitNorLoadMatters) {
  definition::Samples samples = normal(9, 200);
  for (const Distance distance :
       {Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian, Distance::kThresh}) {
    const double plain = positions(distance, samples)[0];
    definition::Samples other = samples;
    for (auto& series : other) {
      for (double& x : series) x = 1000 * x + 5e5;
    }
    EXPECT_NEAR(positions(distance, other)[0], plain, 0.05 * plain) << to_name(distance);
  }
}

TEST(Scale, SmallGroupsHaveALongerOne) {
  const definition::Samples samples = normal(4, 0);
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(Window{.start = {},
                       .interval = std::chrono::seconds(1),
                       .components = 4,
                       .size = kWindowSize,
                       .values = values});
  const std::vector<double> none(4, 0);
  EXPECT_DOUBLE_EQ(ScaleMaker().make(Distance::kCdf, {}, sorted, none).unit, 1.5);
  const Scale median = ScaleMaker().make(Distance::kMedian, {}, sorted, none);
  const Scale thresh = ScaleMaker().make(Distance::kThresh, {}, sorted, none);
  EXPECT_DOUBLE_EQ(median.unit, kWindowSize * thresh.unit);
}

TEST(Scale, TheCeilingOfKlIsReachedAndNeverPassed) {
  definition::Samples samples = normal(9, 0);
  for (auto& series : samples) std::fill(series.begin(), series.end(), 1);
  std::fill(samples[0].begin(), samples[0].end(), 100);
  EXPECT_DOUBLE_EQ(positions(Distance::kKl, samples)[0], 1);
  samples[0][0] = std::nan("");
  EXPECT_LT(positions(Distance::kKl, samples)[0], 1);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    for (const double x : positions(Distance::kKl, definition::draw_samples(random, 3 + seed % 8, 16))) {
      EXPECT_LE(x, 1 + 1e-12);
    }
  }
}

TEST(Scale, NothingRecordedHasTheUnitOne) {
  definition::Samples samples(3, std::vector<double>(16, std::nan("")));
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(Window{
      .start = {}, .interval = std::chrono::seconds(1), .components = 3, .size = 16, .values = values});
  const Scale nothing = ScaleMaker().make(Distance::kMedian, {}, sorted, {});
  EXPECT_EQ(nothing.zero, 0);
  EXPECT_EQ(nothing.unit, 1);
}

}  // namespace
}  // namespace laggard::detect
