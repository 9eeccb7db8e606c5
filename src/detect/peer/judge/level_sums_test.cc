#include "detect/peer/judge/level_sums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace laggard::detect {
namespace {

using GroupLevels = std::vector<std::vector<double>>;

RC_GTEST_PROP(SharedLevelSums, AreThoseThatEverySpellWouldHaveAlone, ()) {
  const auto anomalies = *rc::gen::inRange<std::size_t>(1, 6);
  const auto windows = *rc::gen::inRange(1, 12);
  SharedLevelSums shared;
  std::vector<SharedLevelSums::Ptr> sums(anomalies);
  std::vector<LevelSums> alone(anomalies);
  for (int w = 0; w < windows; ++w) {
    shared.next_window();
    const GroupLevels levels{{1.5 * w, 7, -1.0 * w}, {0, 1, 2.0 * w}};
    for (std::size_t s = 0; s < anomalies; ++s) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      sums[s] = shared.add(std::move(sums[s]), w, levels);
      alone[s].add(levels);
    }
  }
  for (std::size_t s = 0; s < anomalies; ++s) {
    RC_ASSERT((sums[s] ? sums[s]->columns() : 0) == alone[s].columns());
    for (std::size_t c = 0; c < alone[s].columns(); ++c) {
      RC_ASSERT(sums[s]->means(c) == alone[s].means(c));
      RC_ASSERT(sums[s]->windows(c) == alone[s].windows(c));
    }
  }
}

TEST(SharedLevelSums, SpellsOfTheSameWindowsHoldTheSameSums) {
  SharedLevelSums shared;
  const GroupLevels levels{{1, 2}};
  SharedLevelSums::Ptr one = shared.add(nullptr, 0, levels);
  SharedLevelSums::Ptr two = shared.add(nullptr, 0, levels);
  EXPECT_EQ(one, two);
  shared.next_window();
  one = shared.add(std::move(one), 1, levels);
  EXPECT_NE(one, two);
  EXPECT_EQ(two->windows(0)[0], 1) << "what another anomaly holds stays as it was";
  EXPECT_EQ(one->windows(0)[0], 2);
  two = shared.add(std::move(two), 1, levels);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace laggard::detect
