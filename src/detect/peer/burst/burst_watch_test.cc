#include "detect/peer/burst/burst_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/missing.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::size_t kDisks = 5;
using Values = std::function<double(std::size_t member, std::int64_t cell)>;

/// Cell and member of every burst in cells [1, cells], which come in runs of `run` cells.
std::vector<std::pair<std::int64_t, std::size_t>> bursts(std::string_view metric, const Values& values,
                                                         std::int64_t run = 20, std::int64_t cells = 100,
                                                         Duration step = std::chrono::seconds(1)) {
  testing_support::GroupingBuilder builder;
  for (std::size_t s = 1; s <= kDisks; ++s) builder.disk("s" + std::to_string(s), "d1");
  const Grouping grouping = builder.get();
  BurstWatch watch(grouping, BurstOptions{}, Grid{step}, nullptr);
  std::vector<std::pair<std::int64_t, std::size_t>> found;
  for (std::int64_t begin = 1; begin <= cells; begin += run) {
    const CellRuns::Run now{begin, std::min(begin + run, cells + 1)};
    std::vector<double> rows;
    for (std::int64_t cell = now.begin; cell < now.end; ++cell) {
      for (std::size_t i = 0; i < kDisks; ++i) rows.push_back(values(i, cell));
    }
    watch.observe(0, *find_metric(metric), now, rows);
    watch.end_run(now);
    JudgedRun judged;
    judged.run = now;
    watch.attach(judged);
    for (const SlowMember& burst : judged.bursts) found.emplace_back(burst.cell, burst.member);
  }
  return found;
}

/// 20 ms, and 2 s of member 3 in these cells.
Values with_bursts(std::vector<std::int64_t> cells, double large = 2000) {
  return [=](std::size_t member, std::int64_t cell) {
    return member == 3 && std::ranges::count(cells, cell) > 0 ? large : 20.0;
  };
}

TEST(BurstWatch, AMomentInWhichOneIsFarOff) {
  EXPECT_THAT(bursts("await", with_bursts({50, 70})), ElementsAre(Pair(50, 3), Pair(70, 3)));
  EXPECT_THAT(bursts("retransmits", with_bursts({50}, 170)), ElementsAre(Pair(50, 3)));
  const Values stopped = [](std::size_t i, std::int64_t cell) { return i == 3 && cell == 50 ? 100.0 : 0.0; };
  EXPECT_THAT(bursts("stopped", stopped), ElementsAre(Pair(50, 3)));
}

TEST(BurstWatch, DoesNotDependOnHowCellsAreCutIntoRuns) {
  const Values values = with_bursts({10, 17, 33, 40, 41, 77});
  const auto whole = bursts("await", values, 100);
  EXPECT_FALSE(whole.empty());
  for (const std::int64_t run : {1, 3, 16, 17, 40}) EXPECT_EQ(bursts("await", values, run), whole) << run;
}

TEST(BurstWatch, WhatIsSmallOrOfAllOrLastsIsNone) {
  EXPECT_THAT(bursts("await", with_bursts({50}, 900)), IsEmpty()) << "less than a second";
  EXPECT_THAT(bursts("await", [](auto, std::int64_t cell) { return cell == 50 ? 2000.0 : 20.0; }), IsEmpty())
      << "all";
  const Values two = [](std::size_t i, std::int64_t cell) { return cell == 50 && i < 2 ? 2000.0 : 20.0; };
  EXPECT_THAT(bursts("await", two), IsEmpty()) << "two at once";
  const auto lasting =
      bursts("await", [](std::size_t i, std::int64_t cell) { return i == 3 && cell >= 50 ? 2000.0 : 20.0; });
  EXPECT_LE(lasting.size(), 9U) << "once it has lasted for half of its calm";
  EXPECT_THAT(bursts("await", [](std::size_t i, auto) { return i == 3 ? 2000.0 : 20.0; }), IsEmpty());
}

TEST(BurstWatch, NothingWithoutAKnownCalm) {
  EXPECT_THAT(bursts("await", with_bursts({5})), IsEmpty()) << "the recording has only begun";
  const Values lost = [](std::size_t i, std::int64_t cell) {
    return cell == 50 && i == 3 ? 2000.0 : (cell > 30 && cell < 50 ? kMissing : 20.0);
  };
  EXPECT_THAT(bursts("await", lost), IsEmpty());
}

TEST(BurstWatch, NobodyLooksAtLongCellsOrOtherMetrics) {
  EXPECT_THAT(bursts("await", with_bursts({50}), 20, 100, std::chrono::seconds(15)), IsEmpty());
  EXPECT_THAT(bursts("rd_sec", with_bursts({50}, 1e9)), IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
