// Samples that follow from events: judged like any others, in a finished recording, live and in shards.
#include "engine/derivations.h"
#include "engine/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "engine/diagnoser.h"
#include "testing/calls.h"
#include "testing/script/script.h"
#include "topology/groups.h"

namespace laggard::engine {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kHosts = 4;
constexpr int kLength = 600;
constexpr Duration kLateness = 20s;

/// Ten calls a second on each of four hosts, a table a second; on the third they take four times as long from
/// the 200th second to the 400th.
std::vector<EventTable> calls(WallTime start) {
  std::mt19937_64 random(11);
  std::vector<EventTable> tables;
  for (int second = 0; second < kLength; ++second) {
    for (int host = 1; host <= kHosts; ++host) {
      EventTable& table = tables.emplace_back("s" + std::to_string(host), "rpc");
      const bool slow = host == 3 && second >= 200 && second < 400;
      testing_support::add_calls(table, start + second * 1s, slow, random);
    }
  }
  std::ranges::stable_sort(tables, {}, [](const EventTable& table) { return table.extent().from; });
  return tables;
}

/// A recording of four well servers and, of the same time, calls.
class DerivationsTest : public testing::Test {
 protected:
  DerivationsTest() {
    script::System system;
    system.servers = kHosts;
    system.length = kLength;
    recording_ = script::record(system, "lab");
    Inventory inventory = recording_->source.inventory().value();
    start_ = inventory.devices.front().first;
    events_ = calls(start_);
    group(std::move(inventory));
  }

  void group(Inventory inventory) {
    DerivationSurvey survey(testing_support::kCallTable, 1s);
    for (const EventTable& table : events_) survey.add(table);
    recording_->pipeline.derived = survey.finish(inventory);
    recording_->grouping = topology::make_groups(inventory, nullptr).value();
    recording_->pipeline.counters = counters_of(inventory);
    inventory_ = std::move(inventory);
  }

  DiagnoserOptions options() {
    DiagnoserOptions options = script::diagnoser_options(*recording_, {});
    options.tick = {.every = 32s, .tell = [this](const Diagnoser& diagnoser, WallTime at) {
                      for (const Incident& incident : diagnoser.diagnosis().incidents) {
                        told_.emplace_back(at, incident.id + " " + std::to_string(incident.severity));
                      }
                    }};
    return options;
  }

  /// All events first.
  Diagnosis finished() {
    Diagnoser diagnoser(recording_->grouping, options());
    for (const EventTable& table : events_) diagnoser.add(table);
    script::read(*recording_, [&](const SampleTable& table) { diagnoser.add(table); });
    diagnoser.finish();
    return diagnoser.diagnosis();
  }

  std::unique_ptr<script::Recording> recording_;
  WallTime start_;
  std::vector<EventTable> events_;
  Inventory inventory_;
  std::vector<std::pair<WallTime, std::string>> told_;  ///< At which tick which incident was known.
};

void expect_slow_host(const Diagnosis& diagnosis, WallTime start) {
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  const Incident& incident = diagnosis.incidents.front();
  EXPECT_THAT(incident.components, ElementsAre("s3/rpc"));
  EXPECT_EQ(incident.evidence.front().metric, "await");
  EXPECT_LE(incident.since, start + 232s) << "windows begin every 32 s";
  EXPECT_GE(incident.since, start + 168s);
  EXPECT_TRUE(incident.confirmed_since);
}

void expect_same(const Diagnosis& one, const Diagnosis& other) {
  EXPECT_THAT(one.coverage.missing, IsEmpty());
  ASSERT_EQ(one.incidents.size(), other.incidents.size());
  for (std::size_t i = 0; i < one.incidents.size(); ++i) {
    const Incident& a = one.incidents[i];
    const Incident& b = other.incidents[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.since, b.since);
    EXPECT_EQ(a.until, b.until);
    EXPECT_EQ(a.severity, b.severity);
    EXPECT_EQ(a.evidence.size(), b.evidence.size());
  }
}

TEST_F(DerivationsTest, DevicesOfEventsAreDevicesOfTheRecording) {
  const auto derived = std::ranges::count_if(inventory_.devices,
                                             [](const DeviceInfo& device) { return device.device == "rpc"; });
  EXPECT_EQ(derived, kHosts);
  const auto one = std::ranges::find(inventory_.devices, "rpc", &DeviceInfo::device);
  EXPECT_EQ(one->host, "s1");
  EXPECT_EQ(one->samples, static_cast<std::uint64_t>(kLength));
  EXPECT_EQ(one->active_samples, one->samples);
  EXPECT_THAT(one->counters, SizeIs(4));
}

TEST_F(DerivationsTest, WhatIsRecordedIsNotDerived) {
  Inventory inventory = recording_->source.inventory().value();
  inventory.devices.front().device = "rpc";
  ASSERT_EQ(inventory.devices.front().host, "s1");
  DerivationSurvey survey(testing_support::kCallTable, 1s);
  for (const EventTable& table : events_) survey.add(table);
  const DerivedDevices devices = survey.finish(inventory);
  ASSERT_THAT(devices.of_row, SizeIs(1));
  EXPECT_THAT(devices.of_row.front(), SizeIs(kHosts - 1));
  EXPECT_THAT(inventory.notices, Contains(HasSubstr("s1/rpc is recorded")));
}

TEST_F(DerivationsTest, AMetricOfThemFindsTheSlowHost) { expect_slow_host(finished(), start_); }

TEST_F(DerivationsTest, WithoutARowNothingComesOfEvents) {
  recording_->pipeline.derived = {};
  EXPECT_THAT(finished().incidents, IsEmpty());
}

/// As a source tells them that is behind by up to 20 s, marks accordingly.
TEST_F(DerivationsTest, LiveInAnyOrderWithinTheLatenessTheSameIsFoundAtTheSameTicks) {
  const Diagnosis expected = finished();
  const auto told = std::exchange(told_, {});
  EXPECT_FALSE(told.empty());
  std::mt19937_64 random(7);
  Diagnoser diagnoser(recording_->grouping, options());
  script::read_beside_late(*recording_, events_, kLateness, random, diagnoser);
  expect_same(diagnoser.diagnosis(), expected);
  expect_slow_host(diagnoser.diagnosis(), start_);
  EXPECT_EQ(told_, told);
}

TEST_F(DerivationsTest, NeedNoOtherSamples) {
  group({});
  const auto run = [&](Duration step) {
    Diagnoser diagnoser(recording_->grouping, options());
    WallTime due = start_ + step;
    for (const EventTable& table : events_) {
      for (; table.extent().from >= due; due += step) diagnoser.advance(due);
      diagnoser.add(table);
    }
    diagnoser.finish();
    return diagnoser.diagnosis();
  };
  const Diagnosis at_once = run(1h);
  const auto told = std::exchange(told_, {});
  expect_slow_host(at_once, start_);
  const Diagnosis live = run(1700ms);
  expect_same(live, at_once);
  EXPECT_EQ(told_, told);
  ASSERT_FALSE(told_.empty());
  EXPECT_LT(told_.front().first, start_ + 400s) << "told while it lasts";
}

TEST_F(DerivationsTest, WhatComesLateIsSaid) {
  Diagnoser diagnoser(recording_->grouping, options());
  diagnoser.advance(start_ + 100s);
  for (const EventTable& table : events_) {
    if (table.extent().from < start_ + 120s) diagnoser.add(table);
  }
  EXPECT_THAT(diagnoser.diagnosis().coverage.missing, Contains(HasSubstr("observations (rpc) of s2")));
  EXPECT_THAT(diagnoser.diagnosis().coverage.missing, Contains(HasSubstr("came late and were not counted")));
}

/// Of a window its group, cell and levels; a level that is missing as -1.
using Judged = std::tuple<std::size_t, std::int64_t, std::vector<double>>;

/// Of a shard what it reads; without one everything.
std::vector<Judged> judge(script::Recording& recording, const std::vector<EventTable>& events,
                          const std::optional<Shard>& shard) {
  PipelineOptions options = recording.pipeline;
  options.windows = recording.preset.windows;
  options.shard = shard;
  const WallTime from = shard ? *shard->read_from : WallTime::min();
  Pipeline pipeline(recording.grouping, options);
  std::vector<Judged> all;
  const Pipeline::RunSink sink = [&](detect::JudgedRun& run) {
    for (const detect::JudgedWindow& window : run.windows) {
      std::vector<double> levels;
      for (const auto& of_metric : window.window.levels) {
        for (const double level : of_metric) levels.push_back(std::isnan(level) ? -1 : level);
      }
      all.emplace_back(window.group, window.cell, std::move(levels));
    }
  };
  for (const EventTable& table : events) pipeline.add(cut(table, from, std::nullopt));
  ReadRequest request;
  request.from = from;
  const auto reader = recording.source.read(request).value();
  for (auto table = reader->next().value(); table; table = reader->next().value()) {
    pipeline.add(std::span(&*table, 1), sink);
  }
  pipeline.finish(sink);
  EXPECT_FALSE(pipeline.needs_earlier());
  return all;
}

TEST_F(DerivationsTest, AShardJudgesThemAsTheWholeDoes) {
  const Grid grid{recording_->preset.windows.interval};
  std::vector<Judged> expected = judge(*recording_, events_, std::nullopt);
  const std::int64_t after = grid.cell(start_ + 400s);
  std::erase_if(expected, [&](const Judged& one) { return std::get<1>(one) <= after; });
  ASSERT_FALSE(expected.empty());
  const Shard shard{.after = after, .read_from = start_ + 250s + 370ms};
  EXPECT_EQ(judge(*recording_, events_, shard), expected);
}

}  // namespace
}  // namespace laggard::engine
