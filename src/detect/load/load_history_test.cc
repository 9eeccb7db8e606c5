#include "detect/load/load_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "testing/restored.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {

using testing::ElementsAre;
using testing_support::Sample;
using testing_support::samples_of;
using testing_support::second;

/// A whole minute.
constexpr double kBegin = 1'800'000'000;

std::vector<Sample> every(double interval, double length, const std::vector<double>& from,
                          const std::vector<double>& a_second) {
  std::vector<Sample> samples;
  for (double t = 0; t <= length; t += interval) {
    Sample& sample = samples.emplace_back();
    sample.time = kBegin + t;
    for (std::size_t c = 0; c < from.size(); ++c) sample.values.push_back(from[c] + t * a_second[c]);
  }
  return samples;
}

LoadLevels levels_of(const LoadHistory& history, double from, double to, std::int64_t least = 1) {
  return history.levels("s1", {second(kBegin + from), second(kBegin + to)}, least);
}

TEST(LoadHistory, SumsOverDevicesAndDirections) {
  for (const double interval : {1.0, 7.0, 60.0, 300.0}) {
    LoadHistory history;
    history.add(samples_of("s1", DeviceKind::kHost, "host",
                           {"cpu_user_ms", "cpu_system_ms", "psi_io_us", "procs_running"},
                           every(interval, 600, {5, 7, 11, 3}, {1000, 500, 250'000, 0})));
    for (const char* disk : {"sda", "sdb"}) {
      history.add(samples_of("s1", DeviceKind::kDisk, disk, {"rd_ios", "wr_ios", "weighted_ms"},
                             every(interval, 600, {1, 1, 1}, {30, 10, 2000})));
    }
    const LoadLevels levels = levels_of(history, 0, 600);
    EXPECT_NEAR(levels[kCpuTime], 150, 1) << interval << ": one core and a half";
    EXPECT_NEAR(levels[kPsiIo], 25, 0.1);
    EXPECT_DOUBLE_EQ(levels[kRunning], 3);
    EXPECT_NEAR(levels[kRequestRate], 80, 0.5);
    EXPECT_NEAR(levels[kDiskQueue], 4, 0.05);
    EXPECT_NEAR(levels[kServiceTime], 50, 1) << "4 that wait, 80 a second";
    EXPECT_TRUE(std::isnan(levels[kPsiMemory])) << "missing is not zero";
    EXPECT_THAT(history.hosts(), ElementsAre("s1"));
  }
}

TEST(LoadHistory, IsOfTheMinutesAskedAbout) {
  LoadHistory history;
  std::vector<Sample> samples = every(10, 600, {0}, {1000});
  for (Sample& sample : samples) {
    if (sample.time > kBegin + 300) sample.values[0] += 4000 * (sample.time - kBegin - 300);
  }
  history.add(samples_of("s1", DeviceKind::kHost, "host", {"cpu_user_ms"}, samples));
  EXPECT_NEAR(levels_of(history, 0, 300)[kCpuTime], 100, 1e-6);
  EXPECT_NEAR(levels_of(history, 310, 600)[kCpuTime], 500, 1e-6) << "from the nearest minute on";
  EXPECT_TRUE(std::isnan(levels_of(history, 310, 419, 2)[kCpuTime])) << "one minute is too little";
  EXPECT_TRUE(std::isnan(levels_of(history, 500, 1200)[kCpuTime])) << "most of it was not recorded";
}

TEST(LoadHistory, ResetsBootsAndPausesAreUnknown) {
  const auto cpu = [](std::vector<Sample> samples, const char* boot = "") {
    SampleTable table = samples_of("s1", DeviceKind::kHost, "host", {"cpu_user_ms"}, samples);
    table.set_boot(boot);
    return table;
  };
  LoadHistory reset;
  reset.add(cpu({{kBegin, {1e6}}, {kBegin + 60, {1e6 + 600}}, {kBegin + 120, {5}}, {kBegin + 180, {605}}}));
  EXPECT_NEAR(levels_of(reset, 0, 180)[kCpuTime], 1, 1e-9);
  EXPECT_TRUE(std::isnan(levels_of(reset, 60, 120)[kCpuTime]));
  LoadHistory boots;
  boots.add(cpu({{kBegin, {10}}, {kBegin + 60, {70}}}, "a"));
  boots.add(cpu({{kBegin + 120, {900'000}}}, "b"));
  EXPECT_TRUE(std::isnan(levels_of(boots, 60, 120)[kCpuTime]));
  LoadHistory pause;
  pause.add(cpu({{kBegin, {10}}, {kBegin + 420, {70}}}));
  EXPECT_TRUE(std::isnan(levels_of(pause, 0, 420)[kCpuTime]));
}

TEST(LoadHistory, SamplesMayComeAgainAndWhatIsOldLeaves) {
  const SampleTable table = samples_of("s1", DeviceKind::kHost, "host", {"cpu_user_ms", "procs_running"},
                                       every(20, 600, {0, 4}, {1000, 0}));
  LoadHistory history;
  history.add(table);
  const LoadLevels once = levels_of(history, 0, 600);
  history.add(table);
  EXPECT_EQ(levels_of(history, 0, 600)[kCpuTime], once[kCpuTime]);
  EXPECT_EQ(levels_of(history, 0, 600)[kRunning], once[kRunning]);
  LoadHistory fresh;
  expect_restores(history, fresh);
  EXPECT_EQ(levels_of(fresh, 0, 600)[kCpuTime], once[kCpuTime]);
  fresh.add(table);
  EXPECT_EQ(levels_of(fresh, 0, 600)[kCpuTime], once[kCpuTime]) << "after a restart, too";
  history.forget(second(kBegin + 301));
  EXPECT_TRUE(std::isnan(levels_of(history, 0, 300)[kCpuTime]));
  EXPECT_FALSE(std::isnan(levels_of(history, 300, 600)[kCpuTime]));
}

TEST(LoadHistory, WhatIsNoLoadIsPassedOver) {
  LoadHistory history;
  EXPECT_FALSE(history.add(samples_of("s1", DeviceKind::kDisk, "sda", {"sync_action"}, {{kBegin, {1}}})));
  EXPECT_FALSE(history.knows_any(WallTime::max()));
}

}  // namespace
}  // namespace laggard::detect
