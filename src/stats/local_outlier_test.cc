#include "stats/local_outlier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace laggard::stats {
namespace {

using Points = std::vector<std::vector<double>>;

std::vector<double> factors_of(const Points& points, const LocalOutlierOptions& options) {
  std::vector<double> flat;
  for (const auto& point : points) flat.insert(flat.end(), point.begin(), point.end());
  return local_outlier_factors(flat, points.empty() ? 1 : points.front().size(), options);
}

/// Word by word as the paper defines it; nothing is kept from one question to the next.
class Definition {
 public:
  Definition(const Points& points, const LocalOutlierOptions& options) : points_(points), options_(options) {}

  [[nodiscard]] double factor(std::size_t p) const {
    double sum = 0;
    for (const std::size_t o : neighbours(p)) sum += density(o) / density(p);
    return sum / static_cast<double>(neighbours(p).size());
  }

 private:
  [[nodiscard]] double distance(std::size_t p, std::size_t o) const {
    double sum = 0;
    for (std::size_t d = 0; d < points_[p].size(); ++d) sum += std::pow(points_[p][d] - points_[o][d], 2);
    return std::sqrt(sum);
  }
  [[nodiscard]] double k_distance(std::size_t p) const {
    std::vector<double> all;
    for (std::size_t o = 0; o < points_.size(); ++o) {
      if (o != p) all.push_back(distance(p, o));
    }
    std::ranges::sort(all);
    return all[std::min(options_.neighbours, all.size()) - 1];
  }
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t p) const {
    std::vector<std::size_t> near;
    for (std::size_t o = 0; o < points_.size(); ++o) {
      if (o != p && distance(p, o) <= k_distance(p)) near.push_back(o);
    }
    return near;
  }
  [[nodiscard]] double density(std::size_t p) const {
    double sum = 0;
    for (const std::size_t o : neighbours(p)) {
      sum += std::max({k_distance(o), distance(p, o), options_.resolution});
    }
    return static_cast<double>(neighbours(p).size()) / sum;
  }

  const Points& points_;
  LocalOutlierOptions options_;
};

TEST(LocalOutlier, IsWhatAnotherImplementationPublishes) {
  // The example of scikit-learn's LocalOutlierFactor (with the sign that it turns).
  const auto factors = factors_of({{-1.1}, {0.2}, {101.1}, {0.3}}, {.neighbours = 2, .resolution = 1e-9});
  const std::vector<double> published{0.9821, 1.0370, 73.3697, 0.9821};
  for (std::size_t p = 0; p < published.size(); ++p) EXPECT_NEAR(factors[p], published[p], 1e-4);
}

TEST(LocalOutlier, IsTheDefinition) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 2 + random() % 9;
    const std::size_t dimensions = 1 + random() % 5;
    const LocalOutlierOptions options{.neighbours = 1 + random() % 11,
                                      .resolution = random() % 2 == 0 ? 1e-6 : 0.7};
    Points points;
    for (std::size_t p = 0; p < n; ++p) {
      std::vector<double>& point = points.emplace_back();
      // Some coincide, and some lie on a grid, so that there are ties.
      for (std::size_t d = 0; d < dimensions; ++d) {
        point.push_back(round % 3 == 0 ? std::round(normal(random)) : normal(random));
      }
    }
    const Definition definition(points, options);
    const auto factors = factors_of(points, options);
    for (std::size_t p = 0; p < n; ++p) {
      ASSERT_NEAR(factors[p], definition.factor(p), 1e-9 * definition.factor(p)) << round << " " << p;
    }
  }
}

TEST(LocalOutlier, TwoCrowdsOfUnlikeDensityHideNobody) {
  Points points;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 30; ++i) points.push_back({0.1 * normal(random), 0.1 * normal(random)});
  for (int i = 0; i < 30; ++i) points.push_back({100 + 10 * normal(random), 10 * normal(random)});
  points.push_back({5, 0});  // Nearer to the dense one than most of the others to each other.
  const auto factors = factors_of(points, {.neighbours = 10, .resolution = 0.01});
  const double most = *std::max_element(factors.begin(), factors.end() - 1);
  EXPECT_GT(factors.back(), 5 * most);
  EXPECT_LT(most, 4);
}

TEST(LocalOutlier, WhoCoincidesIsNoOutlierAndHidesNone) {
  Points points(9, {0, 0});
  points.push_back({0.5, 0});
  points.push_back({10, 0});
  const auto factors = factors_of(points, {.neighbours = 4, .resolution = 1});
  EXPECT_DOUBLE_EQ(factors[0], 1);
  EXPECT_DOUBLE_EQ(factors[9], 1) << "nearer than the resolution";
  EXPECT_GT(factors[10], 9);
  EXPECT_TRUE(std::ranges::all_of(factors, [](double each) { return std::isfinite(each); }));
}

TEST(LocalOutlier, FewPoints) {
  EXPECT_TRUE(factors_of({}, {}).empty());
  EXPECT_EQ(factors_of({{3}}, {}), std::vector<double>{1});
  EXPECT_EQ(factors_of({{3}, {8}}, {}), (std::vector<double>{1, 1})) << "of two there is no telling";
}

}  // namespace
}  // namespace laggard::stats
