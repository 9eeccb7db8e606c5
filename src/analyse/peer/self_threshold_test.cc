#include "analyse/peer/self_threshold.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace laggard::analyse {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(SelfThreshold, SickMinorityDoesNotRaiseIt) {
  std::vector<double> scratch;
  const SelfThresholdSpec spec{.spreads = 4, .least = 0.5};
  const std::array healthy{1.0, 1.2, 0.9, 1.1, 1.0, 1.1, 0.9};
  const std::array sick{1.0, 1.2, 0.9, 1.1, 1.0, 900.0, 1e9};
  const double without = *self_threshold(healthy, spec, scratch);
  EXPECT_NEAR(without, 1.0 + 4 * 1.4826 * 0.1, 1e-12);
  EXPECT_LT(*self_threshold(sick, spec, scratch), 2 * without);
}

TEST(SelfThreshold, HasAFloorAndSkipsTheUnjudged) {
  std::vector<double> scratch;
  EXPECT_EQ(*self_threshold(std::array{0.0, kMissing, 0.0}, {.spreads = 6, .least = 2}, scratch), 2);
  EXPECT_FALSE(self_threshold(std::array{kMissing}, {}, scratch).has_value());
  EXPECT_FALSE(self_threshold({}, {}, scratch).has_value());
}

}  // namespace
}  // namespace laggard::analyse
