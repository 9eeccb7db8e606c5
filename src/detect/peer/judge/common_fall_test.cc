#include "detect/peer/judge/common_fall.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace laggard::detect {
namespace {

using Levels = std::vector<MovedHistory::Level>;

/// A mean per window, from 0 on.
Levels levels_of(std::int64_t windows, const std::function<double(std::int64_t)>& value) {
  Levels levels;
  for (std::int64_t i = 0; i < windows; ++i) levels.push_back({i, i, value(i)});
  return levels;
}

/// 100 a window, and `other` in windows 10 to 19.
Levels changed(double other) {
  return levels_of(30, [other](std::int64_t i) { return i >= 10 && i < 20 ? other : 100.0; });
}

TEST(CommonFall, IsWhatMovesLessAlthoughNoLessIsAsked) {
  const auto falls = common_falls(changed(40), changed(100), 3);
  ASSERT_EQ(falls.size(), 1U);
  EXPECT_EQ(falls[0].from, 10);
  EXPECT_EQ(falls[0].to, 19);
  EXPECT_EQ(falls[0].before, 100);
  EXPECT_EQ(falls[0].during, 40);
  EXPECT_TRUE(falls[0].over);
}

TEST(CommonFall, LastsToTheEndOfTheRecording) {
  Levels moved = changed(40);
  moved.resize(15);
  const auto falls = common_falls(moved, changed(130), 3);
  ASSERT_EQ(falls.size(), 1U);
  EXPECT_EQ(falls[0].to, 14);
  EXPECT_FALSE(falls[0].over);
}

TEST(CommonFall, IsNobodysFaultWhenLessIsAsked) {
  EXPECT_TRUE(common_falls(changed(40), changed(40), 3).empty()) << "clients have left";
  EXPECT_TRUE(common_falls(changed(0), changed(0), 3).empty()) << "the work is done";
}

TEST(CommonFall, WhatIsNotKnownIsNoFall) {
  EXPECT_TRUE(common_falls(changed(40), {}, 3).empty()) << "nobody recorded who waits";
  EXPECT_TRUE(common_falls(changed(40), levels_of(10, [](auto) { return 100.0; }), 3).empty());
  EXPECT_TRUE(common_falls(changed(40), levels_of(30, [](auto) { return 0.0; }), 3).empty())
      << "nobody waits";
  EXPECT_TRUE(common_falls({}, {}, 3).empty());
}

TEST(CommonFall, IsDeepLongAndAfterASteadyPast) {
  EXPECT_TRUE(common_falls(changed(60), changed(100), 3).empty()) << "less than a half";
  EXPECT_TRUE(common_falls(changed(40), changed(100), 11).empty()) << "too short";
  const Levels uneven = levels_of(30, [](std::int64_t i) {
    return i >= 10 ? 20.0 : i % 2 == 0 ? 150.0 : 50.0;
  });
  EXPECT_TRUE(common_falls(uneven, changed(100), 3).empty()) << "it went up and down before";
  Levels from_the_start = changed(40);
  from_the_start.erase(from_the_start.begin(), from_the_start.begin() + 7);
  EXPECT_TRUE(common_falls(from_the_start, changed(100), 3).empty()) << "three windows are no past";
}

TEST(CommonFall, AGapIsNotJustBefore) {
  Levels moved = changed(40);
  for (MovedHistory::Level& level : moved) {
    if (level.first >= 10) level.first += 100, level.last += 100;
  }
  EXPECT_TRUE(common_falls(moved, levels_of(200, [](auto) { return 100.0; }), 3).empty());
}

TEST(CommonFall, TwoAreTwo) {
  const Levels moved = levels_of(60, [](std::int64_t i) { return i % 20 >= 15 ? 10.0 : 100.0; });
  EXPECT_EQ(common_falls(moved, levels_of(60, [](auto) { return 3.0; }), 3).size(), 3U);
}

}  // namespace
}  // namespace laggard::detect
