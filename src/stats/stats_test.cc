#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "stats/quantile.h"
#include "stats/ratio.h"
#include "stats/sorting_network.h"
#include "testing/property.h"

namespace laggard::stats {
namespace {

/// R: quantile(c(1,2,3,4,10), c(0,.25,.5,.75,1)) and quantile(c(1,2,4,8), ...), type 7.
TEST(Quantile, IsTypeSeven) {
  std::vector<double> scratch;
  const std::array five{10.0, 3.0, 1.0, 4.0, 2.0};
  EXPECT_EQ(quantile(five, 0, scratch), 1);
  EXPECT_EQ(quantile(five, 0.25, scratch), 2);
  EXPECT_EQ(median(five, scratch), 3);
  EXPECT_EQ(quantile(five, 1, scratch), 10);
  const std::array four{8.0, 1.0, 4.0, 2.0};
  EXPECT_EQ(quantile(four, 0.25, scratch), 1.75);
  EXPECT_EQ(median(four, scratch), 3);
  EXPECT_EQ(quantile(four, 0.75, scratch), 5);
  EXPECT_EQ(mad(five, scratch), kMadToSigma * 1);
  EXPECT_EQ(mad(std::array{7.0}, scratch), 0);
}

TEST(Quantile, SelectorAgreesWithSorting) {
  expect_property("large samples with ties and outliers", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    QuantileSelector selector;
    const std::size_t n = 1 + random() % 9000;
    std::vector<double> x(n);
    const auto kind = random() % 4;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
      if (kind == 0) x[i] = normal(random);
      if (kind == 1) x[i] = static_cast<double>(random() % 3);
      // Periodic and sorted data are what a systematic sample is worst at.
      if (kind == 2) x[i] = static_cast<double>(i % 17);
      if (kind == 3) x[i] = static_cast<double>(i) * (i % 4 == 0 ? 1e200 : -1);
    }
    const std::array p{0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 1.0};
    std::array<double, 7> got{};
    selector.select(x, p, got);
    std::sort(x.begin(), x.end());
    for (std::size_t i = 0; i < p.size(); ++i) RC_ASSERT(got[i] == quantile_of_sorted(x, p[i]));
  });
}

/// With a million samples brackets are narrow, and samples are tested several at a time.
TEST(QuantileSelector, FindsTheSameInAMillion) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  QuantileSelector selector;
  std::vector<double> x(1'100'003);  // Not a multiple of the number tested at once.
  for (const int kind : {0, 1, 2}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (kind == 0) x[i] = normal(random);
      if (kind == 1) x[i] = static_cast<double>(random() % 50);
      if (kind == 2) x[i] = static_cast<double>(i % 17) * (i + 2 < x.size() ? 1 : 1e200);
    }
    constexpr std::array kP{0.0, 0.25, 0.5, 0.75, 1.0};
    std::array<double, kP.size()> got{};
    selector.select(x, kP, got);
    std::vector<double> sorted = x;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < kP.size(); ++i) EXPECT_EQ(got[i], quantile_of_sorted(sorted, kP[i])) << kind;
  }
}

/// The 0-1 principle (Knuth 5.3.4): a network that sorts all sequences of zeros and ones sorts everything.
TEST(SortingNetwork, SortsEveryZeroOneSequence) {
  for (std::uint32_t n = 1; n <= 16; ++n) {
    const auto steps = merge_exchange(n);
    for (std::uint32_t bits = 0; bits < (1U << n); ++bits) {
      std::uint32_t row = bits;
      for (const auto [low, high] : steps) {
        const std::uint32_t a = (row >> low) & 1U;
        const std::uint32_t b = (row >> high) & 1U;
        row = (row & ~((1U << low) | (1U << high))) | ((a | b) << high) | ((a & b) << low);
      }
      const std::uint32_t zeros = ~row & ((1U << n) - 1);
      ASSERT_EQ(zeros & (zeros + 1), 0U) << n << ' ' << bits;
    }
  }
}

TEST(QuantileSelector, ZerosNeedNotBeWrittenOut) {
  expect_property("as if they were", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    // Above some thousand samples, ranks are bracketed.
    const bool large = random() % 4 == 0;
    std::vector<double> x(random() % (large ? 6000 : 60));
    const auto values = large ? 5000U : 9U;
    for (double& v : x) v = static_cast<double>(random() % values) - static_cast<double>(random() % 3);
    const std::size_t zeros = (x.empty() ? 1 : 0) + random() % (large ? 6000 : 100);
    constexpr std::array kP{0.75, 0.25, 1.0, 0.5, 0.0, 0.3};
    std::array<double, kP.size()> got{};
    QuantileSelector selector;
    selector.select_with_zeros({x, zeros}, kP, got);
    std::vector<double> all = x;
    all.insert(all.end(), zeros, 0.0);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < kP.size(); ++i) RC_ASSERT(got[i] == quantile_of_sorted(all, kP[i]));
  });
}

TEST(SortingNetwork, SortsColumns) {
  expect_property("like sorting each column", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto rows = static_cast<std::uint32_t>(1 + random() % 130);
    const std::size_t columns = 1 + random() % 70;
    std::vector<double> matrix(rows * columns);
    for (double& x : matrix) x = static_cast<double>(random() % 50);
    std::vector<double> sorted = matrix;
    sort_columns<double>(sorted, columns, merge_exchange(rows));
    for (std::size_t j = 0; j < columns; ++j) {
      std::vector<double> want;
      for (std::size_t k = 0; k < rows; ++k) want.push_back(matrix[k * columns + j]);
      std::sort(want.begin(), want.end());
      for (std::size_t k = 0; k < rows; ++k) RC_ASSERT(sorted[k * columns + j] == want[k]);
    }
  });
}

TEST(Ratio, SaysWhichIsLargerAlsoWithoutLogarithm) {
  EXPECT_EQ(log2_ratio(8, 2), 2);
  EXPECT_EQ(log2_ratio(0, 0), 0);
  EXPECT_EQ(log2_ratio(1, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(log2_ratio(0, 1), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(log2_ratio(1e300, 1e-300), 600 * std::log2(10), 1e-9);
  EXPECT_EQ(clipped_log2_ratio(1, 0, -1, 6), 6);
  EXPECT_EQ(clipped_log2_ratio(0, 1, -1, 6), -1);
}

}  // namespace
}  // namespace laggard::stats
