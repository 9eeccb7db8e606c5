#include "detect/peer/ratio/latency_ratio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "base/missing.h"
#include "testing/grouping.h"
#include "testing/property.h"

namespace laggard::detect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::GroupingBuilder;

using Rows = std::vector<std::vector<double>>;  ///< A row per cell, a number per member.

constexpr std::int64_t kFirst = 1000;  ///< The cell of the first row.

Grouping disks(std::size_t members) { return GroupingBuilder().servers(members, 1, false).get(); }

Rows constant(std::size_t cells, std::size_t members, double value) {
  return Rows(cells, std::vector<double>(members, value));
}

std::vector<double> flat(const Rows& rows, std::size_t begin, std::size_t end) {
  std::vector<double> numbers;
  for (std::size_t r = begin; r < end; ++r) numbers.insert(numbers.end(), rows[r].begin(), rows[r].end());
  return numbers;
}

/// What one group does; requests and throughputs may be left out.
struct Recorded {
  Rows latency;
  Rows requests = {};
  Rows busy = {};
  Rows read = {};
  Rows written = {};
};

/// Who is slow in which cell's window. \param cuts  rows at which a run ends.
std::vector<SlowMember> slow_of(const Grouping& grouping, const Recorded& recorded,
                                std::vector<std::size_t> cuts = {}, const Parameters& parameters = {}) {
  LatencyRatios ratios(grouping, parameters, Grid{}, nullptr);
  std::vector<SlowMember> all;
  cuts.push_back(recorded.latency.size());
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    if (end <= begin) continue;
    const CellRuns::Run run{kFirst + static_cast<std::int64_t>(begin),
                            kFirst + static_cast<std::int64_t>(end)};
    std::vector<std::vector<double>> kept;  // Must outlive end_run.
    kept.reserve(5);
    for (const auto& [metric, rows] :
         {std::pair("await", &recorded.latency), std::pair("tps", &recorded.requests),
          std::pair("%util", &recorded.busy), std::pair("rd_sec", &recorded.read),
          std::pair("wr_sec", &recorded.written)}) {
      if (rows->empty()) continue;
      kept.push_back(flat(*rows, begin, end));
      ratios.observe(0, *find_metric(metric), run, kept.back());
    }
    ratios.end_run(run);
    JudgedRun judged{run, {}, {}, {}};
    ratios.attach(judged);
    all.insert(all.end(), judged.slow.begin(), judged.slow.end());
    begin = end;
  }
  return all;
}

std::set<std::size_t> members_of(const std::vector<SlowMember>& slow) {
  std::set<std::size_t> members;
  for (const SlowMember& one : slow) members.insert(one.member);
  return members;
}

TEST(ShortWindows, LastForSecondsAndHaveEnoughCells) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(short_windows({}, seconds(1)).size, 8);
  EXPECT_EQ(short_windows({}, seconds(1)).shift, 4);
  EXPECT_EQ(short_windows({}, milliseconds(100)).size, 80);
  EXPECT_EQ(short_windows({}, seconds(15)).size, 4);
  EXPECT_EQ(short_windows({}, seconds(3)).size, 4);
  EXPECT_EQ(short_windows({}, milliseconds(1500)).size, 6);
}

TEST(LatencyRatios, OneThatIsTenTimesAsSlow) {
  Recorded recorded{.latency = constant(40, 9, 12)};
  for (std::size_t r = 20; r < 40; ++r) recorded.latency[r][3] = 120;
  const std::vector<SlowMember> slow = slow_of(disks(9), recorded);
  ASSERT_FALSE(slow.empty());
  EXPECT_THAT(members_of(slow), ElementsAre(3));
  EXPECT_LE(slow.front().cell, kFirst + 20 + 8) << "within the second window that holds it";
  EXPECT_EQ(slow.back().latency, 120);
  EXPECT_EQ(slow.back().peers, 12);
  EXPECT_EQ(slow.back().ratio, 8);
  for (const SlowMember& one : slow) EXPECT_EQ(one.cell % 4, 0);
}

TEST(LatencyRatios, UpToHalfOfTheGroupAtOnce) {
  for (std::size_t sick = 1; sick <= 4; ++sick) {
    Recorded recorded{.latency = constant(16, 9, 12)};
    for (auto& row : recorded.latency) std::fill_n(row.begin(), sick, 120);
    EXPECT_EQ(members_of(slow_of(disks(9), recorded)).size(), sick);
  }
  Recorded camps{.latency = constant(16, 8, 12)};
  for (auto& row : camps.latency) std::fill_n(row.begin(), 4, 120);
  EXPECT_THAT(slow_of(disks(8), camps), IsEmpty()) << "two camps, and nobody knows who is right";
}

TEST(LatencyRatios, WhatPeersNearlyReachIsNotSlow) {
  Recorded recorded{.latency = constant(16, 9, 12)};
  for (auto& row : recorded.latency) {
    row[3] = 120;
    row[5] = 30;
  }
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "four times the slowest of the others";
  for (auto& row : recorded.latency) row[3] = 160;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3));
  for (auto& row : recorded.latency) row[3] = row[5] = 90;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "seven and a half times its peers";
}

TEST(LatencyRatios, BelowTheNoiseFloorNothingIsSlow) {
  Recorded recorded{.latency = constant(16, 9, 0.1)};
  for (auto& row : recorded.latency) row[3] = 7;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "the floor of await is 1 ms";
  for (auto& row : recorded.latency) row[3] = 9;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3));
}

TEST(LatencyRatios, ASpikeOfTwoSecondsIsNotSteady) {
  Recorded recorded{.latency = constant(40, 9, 12)};
  recorded.latency[20][3] = recorded.latency[21][3] = 5000;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty());
}

TEST(LatencyRatios, IdlePeersSayNothing) {
  Recorded recorded{.latency = constant(16, 9, 0)};
  for (auto& row : recorded.latency) row[3] = row[4] = row[5] = 120;
  for (auto& row : recorded.latency) row[3] = 5000;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty());
  for (auto& row : recorded.latency) std::fill_n(row.begin() + 5, 3, 120);
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3)) << "six of nine are active";
  recorded.latency = constant(16, 2, 12);
  for (auto& row : recorded.latency) row[0] = 500;
  EXPECT_THAT(slow_of(disks(2), recorded), IsEmpty()) << "of two there is no telling";
}

TEST(LatencyRatios, AFewRequestsSayNothing) {
  Recorded recorded{
      .latency = constant(16, 9, 12), .requests = constant(16, 9, 50), .busy = constant(16, 9, 20)};
  for (auto& row : recorded.latency) row[3] = 200;
  for (auto& row : recorded.busy) row[3] = 90;
  for (auto& row : recorded.requests) row[3] = 1;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "eight in a window";
  for (auto& row : recorded.requests) row[3] = 2;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3));
  for (auto& row : recorded.requests) row[3] = 0;
  for (auto& row : recorded.latency) row[3] = 3000;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3)) << "stalled: nothing completes";
  for (auto& row : recorded.requests) std::fill(row.begin(), row.end(), 1);
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "its peers have too few";
}

/// In a closed loop the queue is at the slowest of equal disks, however little it is slower.
TEST(LatencyRatios, WhoIsOnlyWaitedForIsNotSlow) {
  Recorded recorded{
      .latency = constant(16, 9, 20), .requests = constant(16, 9, 80), .busy = constant(16, 9, 75)};
  for (auto& row : recorded.latency) row[3] = 1100;
  for (auto& row : recorded.busy) row[3] = 100;
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty());
  for (auto& row : recorded.busy) std::fill(row.begin(), row.end(), 20);
  for (auto& row : recorded.busy) row[3] = 100;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3)) << "its peers have little to do";
  for (auto& row : recorded.busy) std::fill(row.begin(), row.end(), 95);
  for (auto& row : recorded.requests) row[3] = 30;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3))
      << "so do they, but with more requests";
  recorded.busy.clear();
  EXPECT_THAT(slow_of(disks(9), recorded), IsEmpty()) << "nobody knows who was busy";
  for (auto& row : recorded.requests) row[3] = 0;
  EXPECT_THAT(members_of(slow_of(disks(9), recorded)), ElementsAre(3)) << "stalled";
}

TEST(LatencyRatios, SaysWhatWasMovedMeanwhile) {
  Recorded recorded{.latency = constant(16, 9, 12),
                    .requests = {},
                    .busy = {},
                    .read = constant(16, 9, 100),
                    .written = constant(16, 9, 50)};
  for (auto& row : recorded.latency) row[3] = 200;
  for (auto& row : recorded.read) row[3] = 400;
  for (auto& row : recorded.written) row[8] = 60;
  const std::vector<SlowMember> slow = slow_of(disks(9), recorded);
  ASSERT_FALSE(slow.empty());
  EXPECT_EQ(slow[0].moved, 450);
  EXPECT_EQ(slow[0].moved_by_peers, 150);
  EXPECT_EQ(slow[0].moved_scatter, 10);
}

TEST(LatencyRatios, DoublePeersMustBothBeUnlike) {
  Grouping grouping = disks(9);
  PeerGroup second;
  second.name = "all of s4";
  second.second_only = true;
  for (std::uint32_t c = 0; c < 4; ++c) second.members.push_back(ComponentId{c});
  grouping.groups.push_back(second);
  grouping.groups[0].double_with.assign(9, std::nullopt);
  grouping.groups[0].double_with[3] = GroupId{1};
  LatencyRatios ratios(grouping, {}, Grid{}, nullptr);
  const auto slow = [&](double others) {
    const CellRuns::Run run{kFirst, kFirst + 16};
    Rows rows = constant(16, 9, 12);
    for (auto& row : rows) row[3] = 200;
    const std::vector<double> first = flat(rows, 0, 16);
    Rows here = constant(16, 4, others);
    for (auto& row : here) row[3] = 200;
    const std::vector<double> beside = flat(here, 0, 16);
    ratios.observe(0, *find_metric("await"), run, first);
    ratios.observe(1, *find_metric("await"), run, beside);
    ratios.end_run(run);
    JudgedRun judged{run, {}, {}, {}};
    ratios.attach(judged);
    return judged.slow.size();
  };
  EXPECT_GT(slow(12), 0U);
  EXPECT_EQ(slow(150), 0U) << "all of its server are slow";
  EXPECT_GT(slow(0), 0U) << "the others of its server are idle";
}

TEST(LatencyRatios, NobodyLooksWhereTheWindowIsZero) {
  Recorded recorded{.latency = constant(16, 9, 12)};
  for (auto& row : recorded.latency) row[3] = 200;
  Parameters parameters;
  parameters.ratio.seconds = 0;
  EXPECT_THAT(slow_of(disks(9), recorded, {}, parameters), IsEmpty());
}

/// The definition of docs/methods/ratio.md for windows of 8 seconds every 4, member by member; without
/// requests and double peers.
std::vector<std::pair<std::int64_t, std::size_t>> by_definition(const Rows& rows) {
  std::vector<std::pair<std::int64_t, std::size_t>> slow;
  const std::size_t n = rows[0].size();
  for (std::size_t last = 7; last < rows.size(); ++last) {
    const std::int64_t cell = kFirst + static_cast<std::int64_t>(last);
    if (cell % 4 != 0) continue;
    std::vector<double> mean(n, kMissing);
    std::size_t there = 0;
    std::vector<double> active;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      int count = 0;
      int present = 0;
      for (std::size_t r = last - 7; r <= last; ++r) {
        present += std::isnan(rows[r][i]) ? 0 : 1;
        if (!(rows[r][i] > 0)) continue;
        sum += rows[r][i];
        ++count;
      }
      there += present > 0 ? 1 : 0;
      if (count < 4) continue;
      mean[i] = sum / count;
      active.push_back(mean[i]);
    }
    if (active.size() < 3 || 2 * active.size() < there + 1) continue;
    std::ranges::sort(active);
    const double peers = std::max(1.0, active[(active.size() - 1) / 2]);
    const auto suspects = std::ranges::count_if(active, [&](double x) { return x > 8 * peers; });
    if (2 * static_cast<std::size_t>(suspects) >= active.size()) continue;
    double slowest = peers;
    for (const double x : active) {
      if (!(x > 8 * peers)) slowest = std::max(slowest, x);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!(mean[i] > std::max(8.0, 5 * slowest / peers) * peers)) continue;
      int steady = 0;
      for (std::size_t r = last - 7; r <= last; ++r) steady += rows[r][i] > 4 * peers ? 1 : 0;
      if (steady >= 6) slow.emplace_back(cell, i);
    }
  }
  return slow;
}

TEST(LatencyRatios, AreThoseOfTheDefinitionHoweverRunsAreCut) {
  expect_property("as defined", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t members = 3 + random() % 9;
    const std::size_t cells = 8 + random() % 60;
    std::lognormal_distribution<double> latency(2, 0.4);
    Rows rows = constant(cells, members, 0);
    for (std::size_t i = 0; i < members; ++i) {
      const double by = random() % 3 == 0 ? 4 + static_cast<double>(random() % 40) : 1;
      const std::size_t from = random() % cells;
      const std::size_t idle = random() % 4 == 0 ? 2 : 20;
      for (std::size_t r = 0; r < cells; ++r) {
        rows[r][i] = (r >= from ? by : 1) * latency(random);
        if (random() % idle == 0) rows[r][i] = 0;
        if (random() % 20 == 0) rows[r][i] = kMissing;
      }
    }
    std::vector<std::size_t> cuts;
    for (std::size_t c = random() % 8; c > 0; --c) cuts.push_back(random() % cells);
    std::ranges::sort(cuts);
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    for (const SlowMember& slow : slow_of(disks(members), {.latency = rows}, cuts)) {
      found.emplace_back(slow.cell, slow.member);
    }
    RC_ASSERT(found == by_definition(rows));
  });
}

TEST(LatencyRatios, AGapEndsTheWindows) {
  const Grouping grouping = disks(9);
  LatencyRatios ratios(grouping, {}, Grid{}, nullptr);
  Rows rows = constant(20, 9, 12);
  for (auto& row : rows) row[3] = 200;
  const auto judge = [&](std::int64_t begin, std::size_t cells) {
    const CellRuns::Run run{begin, begin + static_cast<std::int64_t>(cells)};
    const std::vector<double> numbers = flat(rows, 0, cells);
    ratios.observe(0, *find_metric("await"), run, numbers);
    ratios.end_run(run);
    JudgedRun judged{run, {}, {}, {}};
    ratios.attach(judged);
    return judged.slow.size();
  };
  EXPECT_EQ(judge(kFirst, 6), 0U);
  EXPECT_EQ(judge(kFirst + 100, 6), 0U) << "no window is made of both sides";
  EXPECT_EQ(judge(kFirst + 106, 3), 1U);
}

}  // namespace
}  // namespace laggard::detect
