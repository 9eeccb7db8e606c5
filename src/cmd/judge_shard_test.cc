// A recording that is judged shard by shard gives the windows that it gives as a whole, wherever it is cut:
// the argument of docs/methods/shards.md, tried out at every cut of recordings with everything that has a
// memory.
#include "cmd/judge_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cmd/read_recording.h"
#include "testing/shards.h"

namespace laggard::cmd {
namespace {

using script::System;
using testing_support::judged_as_a_whole;
using testing_support::Protocol;
using testing_support::setup_of;

std::vector<std::string> judged_in_shards(AnalysisSetup& setup, const std::vector<engine::Shard>& shards) {
  Protocol protocol(setup);
  for (const engine::Shard& shard : shards) {
    const Status judged = judge_shard(
        setup, shard, [&](detect::JudgedRun& run) { protocol.take(run); }, nullptr);
    EXPECT_TRUE(judged) << judged.error().message();
  }
  return protocol.lines();
}

std::int64_t first_cell(const AnalysisSetup& setup) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  return Grid{setup.preset.windows.interval}.cell(span.from);
}

std::int64_t last_cell(const AnalysisSetup& setup) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  return Grid{setup.preset.windows.interval}.cell(span.to);
}

/// Every cut into two, `step` cells apart.
void expect_cuts_change_nothing(AnalysisSetup& setup, std::int64_t step) {
  const std::vector<std::string> whole = judged_as_a_whole(setup);
  ASSERT_GT(whole.size(), 15U);
  for (std::int64_t cut = first_cell(setup) - 1; cut <= last_cell(setup) + 1; cut += step) {
    std::vector<engine::Shard> shards(2);
    shards[0].last = cut;
    shards[1].after = cut;
    const std::vector<std::string> both = judged_in_shards(setup, shards);
    ASSERT_EQ(both.size(), whole.size()) << "cut after cell " << cut - first_cell(setup);
    ASSERT_TRUE(both == whole) << "cut after cell " << cut - first_cell(setup);
  }
}

TEST(JudgePart, CutsThroughOrdinaryTime) {
  System system;
  system.servers = 4;
  system.length = 240;
  AnalysisSetup setup = setup_of(system, "quick");
  expect_cuts_change_nothing(setup, 5);
}

TEST(JudgePart, CutsThroughConnectionsAndLostSamples) {
  System system;
  system.servers = 3;
  system.clients = 2;
  system.length = 240;
  system.faults.push_back({"lossy", "s2", "", 20, 200, 3});
  system.faults.push_back({"drops", "s3", "", 60, 180, 5});
  AnalysisSetup setup = setup_of(system, "quick");
  expect_cuts_change_nothing(setup, 11);
}

TEST(JudgePart, CutsThroughAStallThatIsLongerThanAnyWindow) {
  System system;
  system.servers = 4;
  system.length = 400;
  system.faults.push_back({"stall", "s2", "", 30, 330, 1});
  system.faults.push_back({"absent", "s3", "", 100, 150, 1});
  AnalysisSetup setup = setup_of(system, "quick");
  expect_cuts_change_nothing(setup, 13);
}

TEST(JudgePart, CutsThroughAndBesideGaps) {
  for (const double until : {112.0, 190.0, 2000.0}) {
    System system;
    system.servers = 3;
    system.length = until + 150;
    for (const char* server : {"s1", "s2", "s3"}) {
      system.faults.push_back({"reboot", server, "", 100, until, 1});
    }
    AnalysisSetup setup = setup_of(system, "quick");
    expect_cuts_change_nothing(setup, until > 1000 ? 37 : 7);
  }
}

TEST(JudgePart, CutsBetweenSamplesFinerAndCoarserThanTheGrid) {
  for (const double interval : {0.4, 1.7}) {
    System system;
    system.servers = 3;
    system.length = 350;
    system.interval = interval;
    AnalysisSetup setup = setup_of(system, "quick");
    setup.preset.windows.interval = std::chrono::seconds(2);
    expect_cuts_change_nothing(setup, 9);
  }
}

TEST(JudgePart, AClockThatWasSetBackIsReadAsAWhole) {
  System system;
  system.servers = 3;
  system.length = 300;
  system.faults.push_back({"clock", "s2", "", 100, 160, 25});
  AnalysisSetup setup = setup_of(system, "quick");
  const WallTime start = script::Simulator::start();
  // 25 s ahead from 100 on; from 160 on samples follow that are not later than those of 185.
  setup.disorder = {{start + std::chrono::seconds(159), start + std::chrono::seconds(186)}};
  expect_cuts_change_nothing(setup, 3);
}

TEST(JudgePart, PlansPartsThatCoverEverythingOnce) {
  System system;
  system.servers = 3;
  system.length = 900;
  const AnalysisSetup setup = setup_of(system, "quick");
  EXPECT_EQ(plan_shards(setup, engine::Shard{}.after, 1).size(), 1U) << "nothing is read twice in vain";
  for (const std::size_t sharers : {2U, 3U, 5U, 1000U}) {
    const auto shards = plan_shards(setup, engine::Shard{}.after, sharers);
    EXPECT_LE(shards.size(), sharers);
    EXPECT_GE(shards.size(), std::min<std::size_t>(sharers, 5));
    EXPECT_EQ(shards.front().after, engine::Shard{}.after);
    EXPECT_EQ(shards.back().last, engine::Shard{}.last);
    for (std::size_t p = 1; p < shards.size(); ++p) EXPECT_EQ(shards[p].after, shards[p - 1].last);
  }
  const std::int64_t after = first_cell(setup) + 500;
  EXPECT_EQ(plan_shards(setup, after, 2).front().after, after) << "what is left";
  EXPECT_EQ(plan_shards(setup, last_cell(setup) + 10, 2).size(), 1U);
}

TEST(JudgePart, PartsOfAYearAreDays) {
  System system;
  system.servers = 3;
  system.length = 100;
  AnalysisSetup setup = setup_of(system, "quick");
  for (DeviceInfo& device : setup.inventory.devices)
    device.last = device.first + std::chrono::hours(24 * 365);
  const auto shards = plan_shards(setup, engine::Shard{}.after, 4);
  EXPECT_EQ(shards.size(), 368U) << "as many for each";
}

}  // namespace
}  // namespace laggard::cmd
