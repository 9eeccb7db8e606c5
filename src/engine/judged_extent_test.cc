#include "engine/judged_extent.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "testing/grouping.h"

namespace laggard::engine {
namespace {

using std::chrono::seconds;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kSize = 16;
constexpr std::int64_t kShift = 8;
constexpr detect::WindowSpec kWindows{seconds(1), kSize, kShift, 1, 3};

/// Disks of four servers, a cell a second.
class JudgedExtentTest : public testing::Test {
 protected:
  JudgedExtentTest() {
    testing_support::GroupingBuilder builder;
    builder.servers(4, 1, false);
    grouping_ = builder.get();
    // What is recorded has series.
    for (Component& component : grouping_.components) component.series.emplace_back();
    for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
      const bool disks = grouping_.groups[g].kind == GroupKind::kDisks;
      columns_.push_back({{find_metric(disks ? "await" : "rxbyt")}});
    }
  }

  using Levels = std::function<std::vector<double>(std::int64_t index)>;

  /// So many windows of each group over `cells` cells.
  Judged judged(std::int64_t windows, std::int64_t cells, const Levels& levels) {
    JudgedExtent extent(grouping_, columns_, are_chosen_, kWindows);
    extent.pass({0, cells});
    for (std::int64_t index = 0; index < windows; ++index) {
      for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
        detect::JudgedWindow judged;
        judged.group = g;
        judged.window.index = index;
        judged.window.start = from_unix_ns(kShift * index * 1'000'000'000);
        judged.window.end = judged.window.start + seconds(kSize);
        judged.window.levels = {levels(index)};
        extent.follow(judged);
      }
    }
    return extent.judged();
  }

  Grouping grouping_;
  std::vector<detect::PeerDetector::Columns> columns_;
  bool are_chosen_ = false;
};

TEST_F(JudgedExtentTest, AllOfThemAllTheTime) {
  const Judged all = judged(4, 40, [](auto) { return std::vector<double>(4, 5); });
  const std::size_t components = grouping_.components.size();
  EXPECT_EQ(all.components, (Judged::Count{components, components}));
  EXPECT_EQ(all.hosts, (Judged::Count{4, 4}));
  EXPECT_EQ(all.groups.judged, all.groups.there);
  EXPECT_EQ(all.windows, 4U);
  EXPECT_EQ(all.compared, 4U);
  EXPECT_EQ(all.needed, 3U);
  EXPECT_EQ(all.recorded, seconds(40));
  EXPECT_EQ(all.from, from_unix_ns(0));
  EXPECT_EQ(all.to, from_unix_ns(40'000'000'000));
  EXPECT_TRUE(all.enough());
  EXPECT_TRUE(all.enough_lately());
}

TEST_F(JudgedExtentTest, WhatHasNoneOfTheChosenMetricsIsNotThere) {
  for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
    if (grouping_.groups[g].kind != GroupKind::kDisks) columns_[g].clear();
  }
  const Levels all = [](auto) { return std::vector<double>(4, 5); };
  const std::size_t components = grouping_.components.size();
  EXPECT_EQ(judged(4, 40, all).components, (Judged::Count{4, components})) << "of what was recorded";
  are_chosen_ = true;
  EXPECT_EQ(judged(4, 40, all).components, (Judged::Count{4, 4}));
  EXPECT_EQ(judged(4, 40, all).groups, (Judged::Count{1, 1}));
}

TEST_F(JudgedExtentTest, AVerdictTakesThreeWindows) {
  EXPECT_FALSE(judged(2, 24, [](auto) { return std::vector<double>(4, 5); }).enough());
  EXPECT_TRUE(judged(3, 32, [](auto) { return std::vector<double>(4, 5); }).enough());
}

TEST_F(JudgedExtentTest, AndHalfOfTheTime) {
  EXPECT_TRUE(judged(4, 80, [](auto) { return std::vector<double>(4, 5); }).enough());
  EXPECT_FALSE(judged(4, 81, [](auto) { return std::vector<double>(4, 5); }).enough());
}

TEST_F(JudgedExtentTest, OfTwoNobodyCanTellWhichIsOdd) {
  const Judged two = judged(4, 40, [](auto) { return std::vector<double>{5, kNothing, kNothing, 5}; });
  EXPECT_EQ(two.components.judged, 0U);
  EXPECT_EQ(two.compared, 0U);
  EXPECT_EQ(two.from, std::nullopt);
  EXPECT_FALSE(two.enough());
}

TEST_F(JudgedExtentTest, WhoIdlesHasNothingToBeJudgedBy) {
  const Judged idle = judged(4, 40, [](auto) { return std::vector<double>(4, 0); });
  EXPECT_EQ(idle.components.judged, 0U);
  EXPECT_EQ(idle.idle, grouping_.components.size());
  EXPECT_FALSE(idle.enough());
}

TEST_F(JudgedExtentTest, WhoStopsMidwayIsNotJudged) {
  const Judged stopped = judged(10, 88, [](std::int64_t index) {
    return std::vector<double>{5, 5, 5, index < 3 ? 5 : kNothing};
  });
  EXPECT_EQ(stopped.hosts, (Judged::Count{3, 4}));
  EXPECT_TRUE(stopped.enough());
  EXPECT_LT(stopped.lately, grouping_.components.size()) << "and is not looked at any more";
}

}  // namespace
}  // namespace laggard::engine
