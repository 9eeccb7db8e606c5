#include "lab/sim/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace laggard::lab {
namespace {
TEST(Wander, HasItsSpreadAndForgetsWithinItsTime) {
  Random random(7);
  Wander wander(0.15, 8);
  constexpr int kDraws = 20'000;
  double squares = 0;
  double products = 0;
  double before = 0;
  for (int i = 1; i <= kDraws; ++i) {
    const double x = std::log(wander.factor(from_seconds(8.0 * i), random)) / 0.15;
    squares += x * x;
    products += x * before;
    before = x;
  }
  EXPECT_NEAR(squares / kDraws, 1, 0.04);
  EXPECT_NEAR(products / kDraws, std::exp(-1), 0.04) << "draws that lie the memory's time apart";
}

TEST(Wander, WithoutSpreadIsOneAndDrawsNothing) {
  Random random(7);
  Wander wander(0, 8);
  EXPECT_EQ(wander.factor(from_seconds(5), random), 1);
  EXPECT_EQ(random.bits(), Random(7).bits());
}

}  // namespace
}  // namespace laggard::lab
