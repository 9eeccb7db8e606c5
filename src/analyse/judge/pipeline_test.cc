#include "analyse/judge/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analyse/script/script.h"

namespace laggard::analyse {
namespace {

std::vector<std::string> judged(const std::vector<GroupJudge::Column>& columns) {
  std::vector<std::string> names;
  for (const GroupJudge::Column& column : columns) {
    names.push_back((column.judged ? "" : "-") + std::string(column.metric->name));
  }
  return names;
}

TEST(Pipeline, ComparesWhatWasRecordedAndAskedFor) {
  using Names = std::vector<std::string>;
  const std::set<std::string> kernel{"rd_ios", "wr_ios", "rd_sectors", "wr_sectors", "rd_ms", "wr_ms"};
  EXPECT_EQ(judged(columns_for(GroupKind::kDisks, {}, kernel, false)),
            (Names{"rd_sec", "wr_sec", "await", "-tps"}));
  EXPECT_EQ(judged(columns_for(GroupKind::kDisks, {find_metric("await")}, kernel, false)),
            (Names{"-rd_sec", "-wr_sec", "await", "-tps"}))
      << "helpers stay";
  EXPECT_EQ(judged(columns_for(GroupKind::kDisks, {}, {"latency"}, false)), Names{"latency"});
  EXPECT_EQ(judged(columns_for(GroupKind::kDisks, {find_metric("rxbyt")}, kernel, false)), Names{});
  EXPECT_EQ(judged(columns_for(GroupKind::kDisks, {find_metric("latency")}, kernel, false)), Names{})
      << "helpers alone are no comparison";
  EXPECT_EQ(judged(columns_for(GroupKind::kTcpFromServers, {}, {"snd_cwnd", "retrans"}, false)),
            (Names{"cwnd", "retransmits"}));
  EXPECT_EQ(judged(columns_for(GroupKind::kTcpFromServers, {}, {"snd_cwnd", "retrans"}, true)), Names{"cwnd"})
      << "the papers had no retransmissions";
  EXPECT_EQ(judged(columns_for(GroupKind::kInterfaces, {}, {"rx_bytes"}, false)), Names{"rxbyt"});
}

TEST(Pipeline, EveryMetricHasItsCounters) {
  std::set<std::string> all;
  for (const CounterSpec& counter : known_counters()) all.insert(std::string(counter.name));
  for (const MetricSpec& metric : metric_catalogue()) {
    bool somewhere = false;
    for (const GroupKind kind : {GroupKind::kDisks, GroupKind::kInterfaces, GroupKind::kTcpFromServers}) {
      somewhere = somewhere || !columns_for(kind, {&metric}, all, false).empty();
    }
    EXPECT_TRUE(somewhere) << metric.name << " is in the catalogue and nobody can compare it";
  }
}

struct Position {
  std::int64_t index = 0;
  std::int64_t position = 0;
};

/// The windows of a recording of three servers that are all off from `from` to `to`.
std::vector<Position> positions(double from, double to, double length) {
  script::System system;
  system.servers = 3;
  system.length = length;
  for (const char* server : {"s1", "s2", "s3"}) system.faults.push_back({"reboot", server, "", from, to, 1});
  const auto recording = script::record(system, "quick");
  PipelineOptions options = recording->pipeline;
  options.windows = recording->preset.windows;
  Pipeline pipeline(recording->grouping, options);
  std::vector<Position> out;
  const auto sink = [&](std::size_t, const WindowJudgement& window) {
    out.push_back({window.index, window.position});
  };
  script::read(*recording, [&](const SampleTable& table) { pipeline.add(table, sink); });
  pipeline.finish(sink);
  return out;
}

TEST(Pipeline, PositionsAreTheClockWhereNothingIsMissing) {
  const auto windows = positions(0, 0, 200);
  ASSERT_GT(windows.size(), 15U);
  for (const Position& w : windows) EXPECT_EQ(w.position, w.index * 8);
}

TEST(Pipeline, PositionsStandStillWhileNobodyRecords) {
  const auto windows = positions(100, 5000, 5200);
  for (std::size_t i = 1; i < windows.size(); ++i) {
    EXPECT_GT(windows[i].index, windows[i - 1].index);
    EXPECT_GE(windows[i].position, windows[i - 1].position) << "never back";
    EXPECT_LE(windows[i].position - windows[i - 1].position, 24) << "neighbours over the gap";
  }
  const auto [first, last] = std::pair(windows.front(), windows.back());
  EXPECT_GT((last.index - first.index) * 8 - (last.position - first.position), 4800)
      << "the gap is taken out";
}

TEST(Pipeline, AShortGapIsTimeLikeAnyOther) {
  for (const Position& w : positions(100, 110, 200)) EXPECT_EQ(w.position, w.index * 8);
}

TEST(Pipeline, GroupsOfFlashAreThoseKnownNotToRotate) {
  script::System system;
  system.servers = 3;
  system.length = 60;
  const auto recording = script::record(system, "quick");
  PipelineOptions options = recording->pipeline;
  options.windows = recording->preset.windows;
  const auto floor = [&] {
    double found = 0;
    Pipeline pipeline(recording->grouping, options);
    const auto sink = [&](std::size_t, const WindowJudgement& window) { found = window.latency_floor; };
    script::read(*recording, [&](const SampleTable& table) { pipeline.add(table, sink); });
    pipeline.finish(sink);
    return found;
  };
  EXPECT_EQ(floor(), 1) << "nobody knows";
  for (Component& component : recording->grouping.components) component.rotational = false;
  EXPECT_EQ(floor(), 0.05);
  recording->grouping.components.front().rotational = true;
  EXPECT_EQ(floor(), 1) << "one that rotates is enough";
}

}  // namespace
}  // namespace laggard::analyse
