#include "stats/missing_values.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/missing.h"
#include "testing/property.h"

namespace laggard::stats {
namespace {

/// The definition: leave one out, sort, take the middle.
double brute_median(const std::vector<double>& x, std::size_t left_out) {
  std::vector<double> rest;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i != left_out && !std::isnan(x[i])) rest.push_back(x[i]);
  }
  if (rest.empty()) return kMissing;
  std::sort(rest.begin(), rest.end());
  const std::size_t n = rest.size();
  return n % 2 == 1 ? rest[n / 2] : (rest[n / 2 - 1] + rest[n / 2]) / 2;
}

/// The definition: the largest deviation of any of the rest from the median of its own others.
double brute_scatter(const std::vector<double>& x, std::size_t left_out) {
  std::vector<double> rest;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i != left_out && !std::isnan(x[i])) rest.push_back(x[i]);
  }
  if (rest.empty()) return kMissing;
  double scatter = 0;
  for (std::size_t i = 0; i < rest.size() && rest.size() > 1; ++i) {
    scatter = std::max(scatter, std::abs(rest[i] - brute_median(rest, i)));
  }
  return scatter;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST(MedianOfOthers, IsTheDefinition) {
  expect_property("of any numbers, ties and holes among them", [] {
    auto x = *rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(-1, 6), [](int v) { return v < 0 ? kMissing : v; }));
    const MedianOfOthers peers(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      RC_ASSERT(same(peers.without(x[i]), brute_median(x, i)));
      RC_ASSERT(same(peers.scatter_without(x[i]), brute_scatter(x, i)));
    }
    RC_ASSERT(same(median_of(x), brute_median(x, x.size())));
  });
}

TEST(MedianOfOthers, OfNobodyIsNothing) {
  EXPECT_TRUE(std::isnan(median_of({})));
  const std::vector<double> alone{5};
  EXPECT_TRUE(std::isnan(MedianOfOthers(alone).without(5)));
  EXPECT_TRUE(std::isnan(MedianOfOthers(alone).scatter_without(5)));
  EXPECT_EQ(MedianOfOthers(alone).scatter_without(kMissing), 0) << "one alone deviates from nobody";
  EXPECT_EQ(MedianOfOthers(alone).without(kMissing), 5) << "one who is missing has a peer";
}

TEST(Present, SumsAndCountsWhatIsThere) {
  const std::vector<double> x{1, std::nan(""), -2, 0, 5, std::nan(""), 7, 8, 9};
  std::vector<double> sum(x.size(), 1);
  std::vector<double> count(x.size(), 2);
  add_present(x, sum, count);
  EXPECT_EQ(sum, (std::vector<double>{2, 1, -1, 1, 6, 1, 8, 9, 10}));
  EXPECT_EQ(count, (std::vector<double>{3, 2, 3, 3, 3, 2, 3, 3, 3}));
  add_positive(x, sum, count);
  EXPECT_EQ(sum, (std::vector<double>{3, 1, -1, 1, 11, 1, 15, 17, 19}));
  EXPECT_EQ(count, (std::vector<double>{4, 2, 3, 3, 4, 2, 4, 4, 4}));
}

TEST(Present, ASumOfNothingHasNoMean) {
  std::vector<double> sum{6, 0, -3};
  divide_by(sum, std::vector<double>{3, 0, 2});
  EXPECT_EQ(sum[0], 2);
  EXPECT_TRUE(std::isnan(sum[1]));
  EXPECT_EQ(sum[2], -1.5);
}

}  // namespace
}  // namespace laggard::stats
