#include "detect/behaviour/code_distance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace laggard::detect {
namespace {

constexpr std::array kAll{CodeDistance::kManhattan, CodeDistance::kRelative, CodeDistance::kScaled,
                          CodeDistance::kKl};

TEST(CodeDistance, IsWhatThePaperDefines) {
  const std::vector<double> p{4, 0, 10, 3};
  const std::vector<double> q{1, 2, 10, 6};
  const std::vector<double> ones(4, 1.0);
  EXPECT_DOUBLE_EQ(distance_between(CodeDistance::kManhattan, p, q, ones), 3 + 2 + 0 + 3);
  EXPECT_DOUBLE_EQ(distance_between(CodeDistance::kRelative, p, q, ones), 3.0 / 4 + 2.0 / 2 + 0 + 3.0 / 6);
  EXPECT_DOUBLE_EQ(distance_between(CodeDistance::kScaled, p, q, ones), 9.0 / 4 + 4.0 / 2 + 0 + 9.0 / 6);
  const double kl = 0.5 * (4 * std::log(4.0 / 1) + 1 * std::log(1.0 / 4) + (0 - 2) * std::log(kKlFloor / 2) +
                           3 * std::log(3.0 / 6) + 6 * std::log(6.0 / 3));
  EXPECT_NEAR(distance_between(CodeDistance::kKl, p, q, ones), kl, 1e-12);
  EXPECT_DOUBLE_EQ(distance_between(CodeDistance::kManhattan, p, q, std::vector<double>{2, 0, 5, 1}), 6 + 3);
}

TEST(CodeDistance, IsSymmetricAndZeroForEquals) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(0, 100);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> p(20);
    std::vector<double> q(20);
    std::vector<double> w(20);
    for (std::size_t f = 0; f < p.size(); ++f) {
      p[f] = random() % 3 == 0 ? 0 : value(random);
      q[f] = random() % 3 == 0 ? 0 : value(random);
      w[f] = value(random);
    }
    for (const CodeDistance distance : kAll) {
      EXPECT_DOUBLE_EQ(distance_between(distance, p, q, w), distance_between(distance, q, p, w));
      EXPECT_GE(distance_between(distance, p, q, w), 0);
      EXPECT_EQ(distance_between(distance, p, p, w), 0);
    }
  }
}

TEST(CodeDistance, HasNames) {
  for (const CodeDistance distance : kAll) EXPECT_EQ(code_distance(to_name(distance)), distance);
  EXPECT_FALSE(code_distance("euclid"));
}

}  // namespace
}  // namespace laggard::detect
