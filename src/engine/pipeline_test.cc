#include "engine/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "engine/columns.h"
#include "testing/script/script.h"

namespace laggard::engine {
namespace {

std::vector<std::string> judged(const std::vector<detect::GroupJudge::Column>& columns) {
  std::vector<std::string> names;
  for (const detect::GroupJudge::Column& column : columns) {
    names.push_back((column.judged ? "" : "-") + std::string(column.metric->name));
  }
  return names;
}

std::vector<detect::GroupJudge::Column> columns(GroupKind kind, std::vector<const MetricSpec*> wanted,
                                                std::set<std::string> counters, bool paper = false,
                                                bool busy_times = false) {
  PipelineOptions options;
  options.metrics = std::move(wanted);
  options.counters = std::move(counters);
  if (paper) options.parameters = detect::paper_parameters({});
  options.busy_times = busy_times;
  return columns_for(kind, options);
}

TEST(Pipeline, ReadsAreJudgedByThemselvesWhereASampleHoldsWritesToo) {
  const auto judges_reads = [](Duration interval) {
    PipelineOptions options;
    options.counters = {"rd_ios", "wr_ios", "rd_sectors", "wr_sectors", "rd_ms", "wr_ms"};
    options.windows.interval = interval;
    const auto columns = columns_for(GroupKind::kDisks, options);
    return std::ranges::any_of(columns,
                               [](const auto& column) { return column.metric == find_metric("r_await"); });
  };
  EXPECT_FALSE(judges_reads(std::chrono::seconds(1)));
  EXPECT_TRUE(judges_reads(std::chrono::seconds(5)));
  EXPECT_TRUE(judges_reads(std::chrono::seconds(15)));
}

TEST(Pipeline, ComparesWhatWasRecordedAndAskedFor) {
  using Names = std::vector<std::string>;
  const std::set<std::string> kernel{"rd_ios", "wr_ios", "rd_sectors", "wr_sectors", "rd_ms", "wr_ms"};
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {}, kernel, false)),
            (Names{"rd_sec", "wr_sec", "await", "-tps"}));
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {find_metric("await")}, kernel, false)),
            (Names{"-rd_sec", "-wr_sec", "await", "-tps"}))
      << "helpers stay";
  std::set<std::string> busy = kernel;
  busy.insert("io_ms");
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {}, busy)), (Names{"rd_sec", "wr_sec", "await", "-tps"}));
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {}, busy, false, true)),
            (Names{"rd_sec", "wr_sec", "await", "-tps", "-%util"}));
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {}, kernel, false, true)),
            (Names{"rd_sec", "wr_sec", "await", "-tps"}));
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {}, {"latency"}, false)), Names{"latency"});
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {find_metric("rxbyt")}, kernel, false)), Names{});
  EXPECT_EQ(judged(columns(GroupKind::kDisks, {find_metric("latency")}, kernel, false)), Names{})
      << "helpers alone are no comparison";
  EXPECT_EQ(judged(columns(GroupKind::kTcpFromServers, {}, {"snd_cwnd", "retrans", "rtt_us"}, false)),
            (Names{"cwnd", "retransmits", "rtt"}));
  EXPECT_EQ(judged(columns(GroupKind::kTcpFromServers, {}, {"snd_cwnd", "retrans", "rtt_us"}, true)),
            Names{"cwnd"})
      << "the papers had neither retransmissions nor round trips";
  EXPECT_EQ(judged(columns(GroupKind::kInterfaces, {}, {"rx_bytes"}, false)), Names{"rxbyt"});
}

TEST(Pipeline, FComparesCongestionWindowsThemselves) {
  const auto by_factors = [](bool paper) {
    return columns(GroupKind::kTcpFromServers, {}, {"snd_cwnd"}, paper).front().by_factors;
  };
  EXPECT_TRUE(by_factors(false));
  EXPECT_FALSE(by_factors(true));
}

TEST(Pipeline, EveryMetricHasItsCounters) {
  std::set<std::string> all;
  for (const CounterSpec& counter : known_counters()) all.insert(std::string(counter.name));
  for (const MetricSpec& metric : metric_catalogue()) {
    bool somewhere = false;
    for (std::size_t kind = 0; kind < kGroupKinds; ++kind) {
      somewhere = somewhere || !columns(static_cast<GroupKind>(kind), {&metric}, all).empty();
    }
    EXPECT_TRUE(somewhere) << metric.name << " is in the catalogue and nobody can compare it";
  }
}

/// A client that has sent something last awaits its server; a server that has, awaits nobody.
TEST(Pipeline, WhoseTurnItIsIsToldByOneEndOfAConnection) {
  const std::set<std::string> all{"awaiting", "owing", "busy_us", "bytes_sent"};
  const auto compared = [&](GroupKind kind, const char* metric) {
    return !columns(kind, {find_metric(metric)}, all).empty();
  };
  EXPECT_TRUE(compared(GroupKind::kTcpFromClients, "awaiting"));
  EXPECT_FALSE(compared(GroupKind::kTcpFromServers, "awaiting"));
  EXPECT_TRUE(compared(GroupKind::kTcpFromServers, "owing"));
  EXPECT_FALSE(compared(GroupKind::kTcpFromClients, "owing"));
  EXPECT_TRUE(compared(GroupKind::kTcpFromServers, "tcp-busy"));
  EXPECT_TRUE(compared(GroupKind::kTcpFromClients, "tcp-busy"));
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
  const auto sink = [&](std::size_t, const detect::WindowJudgement& window) {
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

/// Every number of every window of a recording of six servers, one of them slow, as text.
std::string all_windows(Workers* workers, std::size_t tables_at_once) {
  script::System system;
  system.servers = 6;
  system.length = 300;
  system.faults.push_back({"reboot", "s2", "", 100, 130, 1});
  const auto recording = script::record(system, "quick");
  PipelineOptions options = recording->pipeline;
  options.windows = recording->preset.windows;
  options.workers = workers;
  Pipeline pipeline(recording->grouping, options);
  std::string out;
  const auto sink = [&](std::size_t group, const detect::WindowJudgement& window) {
    out += std::to_string(group) + "@" + std::to_string(window.index) + ":";
    for (const detect::TrackJudgement& track : window.tracks) {
      for (const double d : track.distance) out += " " + std::to_string(std::bit_cast<std::uint64_t>(d));
    }
    for (const std::vector<double>& levels : window.levels) {
      for (const double l : levels)
        out += " " + (std::isnan(l) ? "-" : std::to_string(std::bit_cast<std::uint64_t>(l)));
    }
    out += "\n";
  };
  std::vector<SampleTable> tables;
  script::read(*recording, [&](const SampleTable& table) { tables.push_back(table); });
  for (std::size_t at = 0; at < tables.size(); at += tables_at_once) {
    pipeline.add(std::span(tables).subspan(at, std::min(tables_at_once, tables.size() - at)), sink);
  }
  pipeline.finish(sink);
  return out;
}

TEST(Pipeline, ThreadsAndBatchesChangeNothing) {
  const std::string alone = all_windows(nullptr, 1);
  ASSERT_GT(alone.size(), 1000U);
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    for (const std::size_t at_once : {1U, 4U, 1000U}) EXPECT_EQ(all_windows(&workers, at_once), alone);
  }
}

TEST(Pipeline, ReadsWhatItsMetricsNeed) {
  script::System system;
  system.servers = 3;
  system.length = 60;
  const auto recording = script::record(system, "quick");
  PipelineOptions options = recording->pipeline;
  options.metrics = {find_metric("rd_sec")};
  Inventory inventory;
  DeviceInfo& disk = inventory.devices.emplace_back();
  for (const char* name :
       {"rd_ios", "wr_ios", "rd_sectors", "wr_sectors", "rd_ms", "io_ms", "in_flight", "weighted_ms"}) {
    disk.counters.push_back({name, CounterForm::kCumulative});
    options.counters.insert(name);
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(counters_to_read(recording->grouping, options, inventory),
            (Names{"rd_ios", "rd_sectors", "wr_ios", "wr_sectors"}))
      << "those of the helpers too, and no others";
  options.metrics = {};
  options.counters.insert("wr_ms");
  disk.counters.push_back({"wr_ms", CounterForm::kCumulative});
  const Names await = counters_to_read(recording->grouping, options, inventory);
  EXPECT_TRUE(std::ranges::count(await, "in_flight") == 1 && std::ranges::count(await, "weighted_ms") == 0);
  inventory.devices.emplace_back().counters = {{"rd_ios", CounterForm::kCumulative},
                                               {"weighted_ms", CounterForm::kCumulative}};
  EXPECT_EQ(std::ranges::count(counters_to_read(recording->grouping, options, inventory), "weighted_ms"), 1)
      << "where requests in flight were not recorded";
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
    const auto sink = [&](std::size_t, const detect::WindowJudgement& window) {
      found = window.latency_floor;
    };
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
}  // namespace laggard::engine
