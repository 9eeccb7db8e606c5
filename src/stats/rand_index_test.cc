#include "stats/rand_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace laggard::stats {
namespace {

using Classes = std::vector<std::size_t>;

TEST(RandIndex, TheSameButForNamesIsOne) {
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Classes{1, 1, 2, 2, 3}, Classes{7, 7, 5, 5, 9}), 1);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Classes{1, 2, 3}, Classes{3, 1, 2}), 1);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Classes{}, Classes{}), 1);
}

TEST(RandIndex, AnExampleByHand) {
  // Cells 2, 1, 1, 2: sum 2; rows and columns 3 + 3: sums 6 and 6; E = 36 / 15.
  const double expected = 36.0 / 15;
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Classes{0, 0, 0, 1, 1, 1}, Classes{0, 0, 1, 1, 1, 0}),
                   (2 - expected) / (6 - expected));
}

TEST(RandIndex, ChanceIsAboutZero) {
  std::mt19937_64 random{5};
  Classes one(3000);
  Classes other(3000);
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i] = random() % 5;
    other[i] = random() % 8;
  }
  EXPECT_NEAR(adjusted_rand_index(one, other), 0, 0.01);
}

}  // namespace
}  // namespace laggard::stats
