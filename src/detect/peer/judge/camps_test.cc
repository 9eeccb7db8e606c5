#include "detect/peer/judge/camps.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/missing.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {

using Members = std::vector<std::uint8_t>;

TEST(SplitInTwo, HalfOfThemFarAboveTheOthers) {
  const auto split = split_in_two(std::vector<double>{100, 500, 110, 560, 105, 480}, 1);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->higher, (Members{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(split->higher_level, 500);
  EXPECT_EQ(split->lower_level, 105);
}

TEST(SplitInTwo, ACampHasTwoFifthsOfTheMembers) {
  std::vector<double> levels{100, 100, 100, 100, 100, 100, 900, 900, 900};
  EXPECT_FALSE(split_in_two(levels, 1)) << "three of nine have a majority before them";
  levels[0] = 900;
  EXPECT_TRUE(split_in_two(levels, 1)) << "four and five";
  levels[1] = 900;
  EXPECT_TRUE(split_in_two(levels, 1)) << "five and four";
  levels[2] = 900;
  EXPECT_FALSE(split_in_two(levels, 1));
  EXPECT_FALSE(split_in_two(std::vector<double>{1, 1, 900}, 1)) << "three are no camps";
}

TEST(SplitInTwo, TheGapIsWiderThanTheCamps) {
  EXPECT_FALSE(split_in_two(std::vector<double>{10, 30, 60, 120, 200, 400}, 1)) << "everybody differs";
  EXPECT_FALSE(split_in_two(std::vector<double>{100, 101, 102, 150, 151, 152}, 1)) << "less than twice";
  EXPECT_FALSE(split_in_two(std::vector<double>{1, 1, 1, 3, 3, 3}, 1)) << "a few noise floors";
  EXPECT_FALSE(split_in_two(std::vector<double>{5, 5, 5, 5}, 1));
}

TEST(SplitInTwo, WhoIsMissingCouldBeOfEitherCamp) {
  EXPECT_FALSE(split_in_two(std::vector<double>{100, 500, kMissing, 560, 105, 480}, 1));
}

Split split_of(Members higher) { return {std::move(higher), 500, 100}; }

TEST(CampFollower, CampsAreThoseThatStayTheSame) {
  CampFollower follower(3);
  follower.add(0, split_of({1, 1, 0, 0}));
  follower.add(1, split_of({1, 1, 0, 0}));
  EXPECT_TRUE(follower.found().empty());
  follower.add(2, std::nullopt);
  follower.add(3, split_of({1, 1, 0, 0}));
  ASSERT_EQ(follower.found().size(), 1U);
  const CampFollower::Found found = follower.found().front();
  EXPECT_EQ(found.from, 0);
  EXPECT_EQ(found.to, 3);
  EXPECT_EQ(found.windows, 3);
  EXPECT_EQ(found.higher_sum, 1500);
  EXPECT_EQ(found.lower_sum, 300);
}

TEST(CampFollower, OthersAndPausesEndThem) {
  CampFollower follower(2);
  for (const std::int64_t i : {0, 1}) follower.add(i, split_of({1, 1, 0, 0}));
  for (const std::int64_t i : {2, 3}) follower.add(i, split_of({1, 0, 1, 0}));
  for (const std::int64_t i : {9, 10}) follower.add(i, split_of({1, 0, 1, 0}));
  ASSERT_EQ(follower.found().size(), 3U);
  EXPECT_EQ(follower.found()[1].higher, (Members{1, 0, 1, 0}));
  EXPECT_EQ(follower.found()[1].to, 3);
  EXPECT_EQ(follower.found()[2].from, 9);
  follower.add(20, split_of({0, 1, 1, 0}));
  EXPECT_EQ(follower.found().size(), 3U) << "one window is none";
}

TEST(CampFollower, IsBoundedAndRestored) {
  CampFollower follower(1);
  for (std::int64_t i = 0; i < 100; ++i)
    follower.add(i, split_of(i % 2 == 0 ? Members{1, 0} : Members{0, 1}));
  EXPECT_EQ(follower.found().size(), CampFollower::kMost + 1);
  CampFollower restored(1);
  expect_restores(follower, restored);
  ASSERT_EQ(restored.found().size(), follower.found().size());
  EXPECT_EQ(restored.found().back().from, 99);
}

}  // namespace
}  // namespace laggard::detect
