#include "detect/peer/judge/score_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/missing.h"

namespace laggard::detect {
namespace {

WallTime at_second(std::int64_t second) { return from_unix_ns(second * 1'000'000'000); }

ScoreHistory history(std::size_t members = 2) { return {members, std::chrono::seconds(30)}; }

TEST(ScoreHistory, KeepsTheLargestOfAWindow) {
  ScoreHistory scores = history();
  scores.add(at_second(60), std::vector<double>{0.5, kMissing});
  scores.add(at_second(60), std::vector<double>{0.2, 3});
  scores.add(at_second(90), std::vector<double>{kMissing, 1});
  const ScoreMap map = scores.to_map("disks", {"a", "b"});
  EXPECT_EQ(map.windows, (std::vector<WallTime>{at_second(60), at_second(90)}));
  EXPECT_FLOAT_EQ(map.scores[0][0], 0.5F);
  EXPECT_FLOAT_EQ(map.scores[1][0], 3);
  EXPECT_TRUE(std::isnan(map.scores[0][1])) << "not judged is not zero";
  EXPECT_EQ(map.window_length, std::chrono::seconds(30));
}

TEST(ScoreHistory, IsBoundedAndHalvingKeepsEveryMaximum) {
  ScoreHistory scores = history();
  constexpr int kWindows = 20000;
  for (int w = 0; w < kWindows; ++w)
    scores.add(at_second(30 * w), std::vector<double>{w % 997 == 0 ? w : 0.0, 1});
  const ScoreMap map = scores.to_map("disks", {"a", "b"});
  EXPECT_LE(map.windows.size(), ScoreHistory::kMostColumns);
  EXPECT_GT(map.windows.size(), ScoreHistory::kMostColumns / 2 - 1);
  EXPECT_TRUE(std::is_sorted(map.windows.begin(), map.windows.end()));
  for (int w = 0; w < kWindows; w += 997) {
    const auto after = std::upper_bound(map.windows.begin(), map.windows.end(), at_second(30 * w));
    ASSERT_NE(after, map.windows.begin());
    const auto column = static_cast<std::size_t>(after - map.windows.begin() - 1);
    EXPECT_GE(map.scores[0][column], static_cast<float>(w)) << "window " << w;
    EXPECT_LT(at_second(30 * w) - map.windows[column], map.window_length);
  }
}

TEST(ScoreHistory, WindowsDaysApartAreBoundedToo) {
  ScoreHistory scores = history(1);
  for (int w = 0; w < 5000; ++w)
    scores.add(at_second(86400LL * w), std::vector<double>{static_cast<double>(w)});
  const ScoreMap map = scores.to_map("disks", {"a"});
  EXPECT_LE(map.windows.size(), ScoreHistory::kMostColumns);
  EXPECT_FLOAT_EQ(map.scores[0].back(), 4999);
}

}  // namespace
}  // namespace laggard::detect
